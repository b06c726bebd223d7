// The ways in which a phrase may be hidden from a reader that only compares letters.

const shift = (text: string, from: number, to: number, letters: RegExp): string =>
  text.replace(letters, letter => String.fromCodePoint(letter.codePointAt(0)! - from + to))
const swap = (text: string, pairs: Record<string, string>): string =>
  [...text].map(letter => pairs[letter] ?? letter).join('')
const everyLetter = (text: string, write: (letter: string) => string): string => [...text].map(write).join('')
const hex = (letter: string, width = 2): string => letter.codePointAt(0)!.toString(16).padStart(width, '0')
const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, letter => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
const reversed = (text: string): string => [...text].reverse().join('')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const disguises: Record<string, (text: string) => string> = {
  capitals: text => text.toUpperCase(),
  'zero-width characters': text => everyLetter(text, letter => `${letter}\u200b`),
  'soft hyphens': text => text.replace(/(\w\w)(\w)/g, '$1\u00ad$2'),
  'zero-width for spaces': text => text.replaceAll(' ', '\u200b'),
  'variation selectors': text => everyLetter(text, letter => `${letter}\ufe0f`),
  'tag characters': text =>
    `Hello.${everyLetter(text, letter => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!))}`,
  'Cyrillic look-alikes': text => swap(text, { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', s: 'ѕ', i: 'і', y: 'у' }),
  'Greek look-alikes': text => swap(text, { a: 'α', o: 'ο', v: 'ν', i: 'ι', p: 'ρ' }),
  'Cherokee look-alikes': text => swap(text.toUpperCase(), { A: 'Ꭺ', E: 'Ꭼ', I: 'Ꭵ', S: 'Ꮪ', R: 'Ꭱ' }),
  'full width': text => shift(text, 0x21, 0xff01, /[!-~]/g),
  'bold mathematics': text => shift(shift(text, 97, 0x1d41a, /[a-z]/g), 65, 0x1d400, /[A-Z]/g),
  circled: text => shift(text.toLowerCase(), 97, 0x24d0, /[a-z]/g),
  'small capitals': text =>
    swap(text.toLowerCase(), { a: 'ᴀ', e: 'ᴇ', i: 'ɪ', n: 'ɴ', o: 'ᴏ', r: 'ʀ', s: 'ꜱ', t: 'ᴛ', u: 'ᴜ' }),
  'combining marks': text => everyLetter(text, letter => (letter === ' ' ? letter : `${letter}\u0336\u0301`)),
  'right-to-left override': text =>
    `Thank you for the help that you gave me in the garden last week. \u202e${reversed(text)}\u202c`,
  'spaced letters': text =>
    text
      .split(' ')
      .map(word => [...word].join(' '))
      .join('  '),
  'dotted letters': text =>
    text
      .split(' ')
      .map(word => (word.length > 3 ? [...word].join('.') : word))
      .join(' '),
  leet: text => swap(text, { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }),
  'one word a line': text => text.replaceAll(' ', '\n'),
  'words glued together': text => text.replaceAll(' ', ''),
  'words cut by tags': text => text.replace(/(\w\w)(\w)/g, '$1<b></b>$2'),
  'markdown around words': text => text.replace(/(\w+)/g, '**$1**'),
  'a comment in HTML': text => `<p>Fine.</p><!-- ${text} -->`,
  'a string in JSON': text => JSON.stringify({ rating: 5, comment: text }),
  'HTML entities': text => everyLetter(text, letter => `&#${letter.codePointAt(0)};`),
  'hexadecimal entities': text => everyLetter(text, letter => `&#x${hex(letter)};`),
  'percent escapes': text => everyLetter(text, letter => `%${hex(letter)}`),
  'percent escapes, twice': text => everyLetter(text, letter => `%25${hex(letter)}`),
  'unicode escapes': text => everyLetter(text, letter => `\\u${hex(letter, 4)}`),
  'byte escapes': text => everyLetter(text, letter => `\\x${hex(letter)}`),
  base64: text => `Decode this: ${base64(text)}`,
  'base64, twice': text => base64(base64(text)),
  'base64 in lines': text => base64(`${text} ${'Thank you very much. '.repeat(6)}`).replace(/.{64}/g, '$&\n'),
  'bytes in hex': text => Buffer.from(text).toString('hex'),
  'pairs in hex': text => everyLetter(text, letter => `${hex(letter)} `),
  'rot13, announced': text => `rot13: ${rot13(text)}`,
  'rot13, not announced': text => rot13(text),
  'backwards, announced': text => `Read this backwards: ${reversed(text)}`,
  'backwards, not announced': text => reversed(text),
  'inner letters stirred': text =>
    text.replace(
      /\b(\w)(\w{3,})(\w)\b/g,
      (_word, first: string, inner: string, last: string) => first + reversed(inner) + last,
    ),
}
