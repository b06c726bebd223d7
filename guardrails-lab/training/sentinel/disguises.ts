// Disguises a fixed part of the texts, so that the model learns the words below a disguise and not the disguise: encoded
// and spaced texts are often harmless, and without these nearly all such training texts would be attacks.

import { hash } from 'node:crypto'
import { viewsOf } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import type { TrainingText } from './training-texts.ts'

const share = { attack: 0.05, harmless: 0.15 }
/** Longer texts are seldom disguised as a whole. */
const maxLength = 300

const codeOf = (letter: string) => letter.codePointAt(0)!
const hexOf = (letter: string, width = 2) => codeOf(letter).toString(16).padStart(width, '0')
const eachLetter = (text: string, write: (letter: string) => string) => [...text].map(write).join('')
const hexBytes = (text: string) => [...Buffer.from(text)].map(byte => byte.toString(16).padStart(2, '0'))
const leetDigits: Record<string, string> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }
const cyrillic: Record<string, string> = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у' }
const swapLetters = (text: string, letters: Record<string, string>) =>
  eachLetter(text, letter => letters[letter] ?? letter)

const disguises: readonly ((text: string) => string)[] = [
  text => encodeURIComponent(text),
  text =>
    hexBytes(text)
      .map(byte => `%${byte}`)
      .join(''),
  text =>
    hexBytes(text)
      .map(byte => `%25${byte}`)
      .join(''),
  text => hexBytes(text).join(' '),
  text => hexBytes(text).join(''),
  text => Buffer.from(text).toString('base64'),
  text => eachLetter(text, letter => `&#${codeOf(letter)};`),
  text => eachLetter(text, letter => `\\u${hexOf(letter, 4)}`),
  text => eachLetter(text, letter => (letter === ' ' ? '  ' : `${letter} `)).trim(),
  text => text.replace(/\p{L}{4,}/gu, word => [...word].join('.')),
  text => eachLetter(text, letter => `${letter}\u200b`),
  text => eachLetter(text, letter => `${letter}\ufe0f`),
  text => text.replaceAll(' ', '\u200b'),
  text => text.replaceAll(' ', ''),
  text => text.replaceAll(' ', '\n'),
  text => text.replaceAll(/(\p{L}\p{L})(\p{L})/gu, '$1<b></b>$2'),
  text => text.replaceAll(/([\p{L}\p{N}]+)/gu, '**$1**'),
  text => eachLetter(text, letter => (/[!-~]/.test(letter) ? String.fromCodePoint(codeOf(letter) + 0xfee0) : letter)),
  text => swapLetters(text, leetDigits),
  text => swapLetters(text, cyrillic),
  text => [...text].reverse().join(''),
  text => text.toUpperCase(),
  text => JSON.stringify({ id: text.length, comment: text }),
  text => `<p>Thanks.</p><!-- ${text} -->`,
]

export interface DisguisedText extends TrainingText {
  disguised: string
}

/** A disguised text stays in the fold of the text it was made from. */
export function disguiseSome(texts: readonly TrainingText[]): DisguisedText[] {
  return texts.flatMap(text => {
    const number = Number.parseInt(hash('sha256', text.record.text).slice(0, 8), 16)
    const isChosen = number / 2 ** 32 < share[text.isAttack ? 'attack' : 'harmless']
    if (!isChosen || text.record.author === null || text.record.text.length > maxLength) return []
    const disguised = disguises[number % disguises.length]!(text.record.text)
    return [{ ...text, disguised, ...viewsOf(disguised) }]
  })
}
