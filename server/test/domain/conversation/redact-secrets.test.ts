// Tests that a known secret is replaced in every form in which a text may have it, and that no text makes this slow.
import { describe, expect, it, test } from 'vitest'
import { redactSecrets } from '../../../src/domain/conversation/redact-secrets.ts'
import { processorMsOf } from '../../support/slowness.ts'

const secrets = ['plainkey0123456789', 'with/slash+plus=and"quote', 'Käse und Brot', 'line.with~dots']
const base64 = (text: string) => Buffer.from(text).toString('base64')
const unicode = (text: string) =>
  [...text].map(one => (/\w/.test(one) ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')

const forms: [string, (secret: string) => string][] = [
  ['as it is', secret => secret],
  ['in JSON', secret => JSON.stringify(secret)],
  ['in JSON with escaped slashes', secret => JSON.stringify(secret).replaceAll('/', '\\/')],
  ['in JSON with codes', unicode],
  ['in JSON within JSON', secret => JSON.stringify(JSON.stringify(secret))],
  ['in a URL', encodeURIComponent],
  ['in a URL, in lower case', secret => encodeURIComponent(secret).replaceAll(/%../g, hex => hex.toLowerCase())],
  ['in base64', base64],
  ['in base64 behind a name', secret => base64(`me:${secret}`)],
  ['in base64 of a header', secret => base64(`x ${secret}\n`)],
  ['in base64url', secret => Buffer.from(`Bearer ${secret}`).toString('base64url')],
]

describe.each(secrets)('%s', secret => {
  test.each(forms)('is replaced %s', (_, form) => {
    const text = redactSecrets(`before ${form(secret)} after ${form(secret)}.`, secrets)
    expect(text.match(/\[redacted\]/g)).toHaveLength(2)
    expect(text).toMatch(/^before .* after .*\.$/s)
    const core = base64(secret).slice(4, -4)
    for (const part of [secret, unicode(secret), encodeURIComponent(secret), core]) expect(text).not.toContain(part)
  })
})

it('replaces the longer of two secrets, one of which contains the other', () => {
  expect(redactSecrets('a Bearer abcdefgh b', ['abcdefgh', 'Bearer abcdefgh'])).toBe('a [redacted] b')
})

it('leaves short values and everything else as they are', () => {
  expect(redactSecrets('the key of a model', ['key', 'model'])).toBe('the key of a model')
  expect(redactSecrets('nothing is known', [])).toBe('nothing is known')
})

it('is quick on hostile texts', () => {
  const pieces = ['\\', 'plainkey', 'with/', '%2', '\\u002', 'a']
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(65_536 / piece.length))
    expect(processorMsOf(() => redactSecrets(text, secrets))).toBeLessThan(50)
  }
})
