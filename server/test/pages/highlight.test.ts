// What the documentation marks in code.
import { describe, expect, test } from 'vitest'
import { highlight } from '../../src/pages/markdown/highlight.ts'

const marked = (code: string, language: string): string[] =>
  [...highlight(code, language).matchAll(/<span class="(\w+)">([^<]*)<\/span>/g)].map(
    ([, kind, text]) => `${kind} ${text}`,
  )

describe('marks', () => {
  test.each([
    ['js', "const a = 'x' // y", ['keyword const', 'string &#39;x&#39;', 'comment // y']],
    ['js', 'const url = "http://a.b/c"', ['keyword const', 'string &#34;http://a.b/c&#34;']],
    ['ts', 'await fetch(`/a/b`)', ['keyword await', 'string `/a/b`']],
    [
      'sh',
      'npm ci # first\nif true; then PORT=80; fi',
      ['comment # first', 'keyword if', 'keyword then', 'number 80', 'keyword fi'],
    ],
    ['sh', 'curl "http://a/#b"', ['string &#34;http://a/#b&#34;']],
    ['json', '{"a": [1, true, null]}', ['string &#34;a&#34;', 'number 1', 'keyword true', 'keyword null']],
    ['python', 'def f(): # x\n  return None', ['keyword def', 'comment # x', 'keyword return', 'keyword None']],
    ['yaml', 'a: true # x', ['keyword true', 'comment # x']],
  ])('%s: %s', (language, code, expected) => expect(marked(code, language)).toEqual(expected))
})

test('keeps every character, and escapes markup, in known and unknown languages', () => {
  const code = `<a href="x">'&' // </span> \`\n# 1 const "unfinished`
  for (const language of ['js', 'sh', 'json', 'text', '', 'constructor']) {
    const plain = highlight(code, language).replace(/<\/?span[^>]*>/g, '')
    expect(plain.replace(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)))).toBe(code)
    expect(plain).not.toContain('<')
  }
})
