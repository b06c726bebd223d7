// What a row of the request log says of a client and of a latency.
import { describe, expect, test } from 'vitest'
import { clientOf, keptName, latencyRangeOf, middleOfRange } from '../../../src/domain/requests/request-record.ts'

const edge =
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0'
const safari = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15'

describe('the client of a user agent', () => {
  test.each([
    ['OpenAI/JS 4.2', 'OpenAI/JS 4.2'],
    ['claude-cli/1.0.3 (external, cli)', 'claude-cli/1.0.3'],
    ['curl/8.5.0', 'curl/8.5.0'],
    [edge, 'Edg/120.0'],
    [safari, 'Safari/17.1'],
    ['Mozilla/5.0', null],
    ['', null],
    ['x'.repeat(100), 'x'.repeat(60)],
  ])('%s', (userAgent, client) => {
    expect(clientOf(userAgent)).toBe(client)
  })
})

test('the middle of a range is within two percent of each latency in it', () => {
  expect(middleOfRange(latencyRangeOf(0))).toBe(0)
  for (let ms = 1; ms < 600_000; ms = Math.ceil(ms * 1.01)) {
    const error = Math.abs(middleOfRange(latencyRangeOf(ms)) - ms) / ms
    expect(error, `${ms} ms`).toBeLessThan(0.02)
  }
})

test('a name has no control characters, no half of a character, and a length', () => {
  expect(keptName('a\u0000b\nc\ud800')).toBe('abc\ufffd')
  expect(keptName('x'.repeat(500))).toHaveLength(128)
})
