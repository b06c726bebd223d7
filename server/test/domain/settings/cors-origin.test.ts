import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOriginAllowed, normalizeOrigin } from '../../../src/domain/settings/cors-origin.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { checkSettingsUpdate } from '../../../src/domain/settings/settings-rules.ts'

const lines = readFileSync(new URL('../../data/security/cors_cases.tsv', import.meta.url), 'utf8').split('\n')
const cases = lines.filter(line => line !== '' && !line.startsWith('#')).map(line => line.split('\t'))

describe('the Origin header', () => {
  const headers = cases.filter(([deployed]) => deployed?.startsWith('['))

  test('has cases', () => expect(headers.length).toBeGreaterThanOrEqual(14))

  test.each(headers)('%s, credentials %s: %s is %s', (deployed = '', _credentials, header = '', expected) => {
    expect(isOriginAllowed(JSON.parse(deployed), header) ? 'allow' : 'deny').toBe(expected)
  })

  test('under a wildcard any origin is allowed, but a request without one is none', () => {
    expect(isOriginAllowed(['*'], 'https://anywhere.example')).toBe(true)
    expect(isOriginAllowed(['*'], '')).toBe(false)
  })
})

describe('an entry of cors_origins', () => {
  const entries = cases.filter(([kind, , value]) => kind === 'PUT settings' && !value?.includes('cors_'))

  test('has cases', () => expect(entries.length).toBeGreaterThanOrEqual(13))

  test.each(entries)('%s %s: %s is %s', (_kind, _credentials, value = '', expected = '') => {
    const [list = '', credentials] = value.split(' with credentials=')
    const cors_origins = list.startsWith('[') ? JSON.parse(list) : [list.replaceAll('\\r\\n', '\r\n')]
    const body = { cors_origins, ...(credentials === 'true' && { cors_allow_credentials: true }) }
    const outcome = checkSettingsUpdate(body, { ...defaultSettings('https://a.com'), cors_origins: [] }, () => true)
    expect(outcome.ok ? 'ok' : '400').toBe(expected.split(/[ ,]/)[0])
    if (!outcome.ok) expect(outcome.message.includes('wildcard')).toBe(expected.includes('wildcard'))
  })

  test.each([
    ['HTTPS://APP.acme.com', 'https://app.acme.com'],
    ['https://app.acme.com:443', 'https://app.acme.com'],
    ['http://app.acme.com:80', 'http://app.acme.com'],
    ['http://app.acme.com:443', 'http://app.acme.com:443'],
    ['https://Bücher.example', 'https://xn--bcher-kva.example'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['https://under_score.example', 'https://under_score.example'],
  ])('%s is stored as %s', (entry, stored) => expect(normalizeOrigin(entry)).toBe(stored))

  test.each([
    ['no scheme', 'app.acme.com'],
    ['null', 'null'],
    ['empty', ''],
    ['a path', 'https://a.com/x'],
    ['a query', 'https://a.com?x'],
    ['a fragment', 'https://a.com#x'],
    ['a back-slash', 'https:\\\\a.com'],
    ['one slash', 'https:/a.com'],
    ['no host', 'https://'],
    ['another scheme', 'ws://a.com'],
    ['an extension', 'chrome-extension://abc'],
    ['empty user info', 'https://@a.com'],
    ['a tab inside', 'https://a\t.com'],
    ['NUL', 'https://a.com\0'],
    ['an encoded host', 'https://%61.com'],
    ['an empty port', 'https://a.com:'],
    ['a port too high', 'https://a.com:65536'],
    ['a wildcard label', 'https://*.acme.com'],
    ['an empty label', 'https://a..com'],
    ['a comma', 'https://a.com,https://b.com'],
    ['the wildcard', '*'],
  ])('%s is no origin', (_name, entry) => expect(normalizeOrigin(entry)).toBeNull())

  test('the stored form is stored as it is, and is what a browser sends', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https', 'HTTPS'] }), url => {
        const origin = normalizeOrigin(url.split('/').slice(0, 3).join('/'))
        fc.pre(origin !== null)
        expect(normalizeOrigin(origin ?? '')).toBe(origin)
        expect(isOriginAllowed([origin ?? ''], new URL(url).origin)).toBe(true)
      }),
    )
  })
})
