// What derives from the table of the settings: the stored document and the described schema. The sample table has a
// field that was added later, which the product's own need not have.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type FieldTable, field } from '../../../src/domain/settings/field-table.ts'
import { boolean, integer, orNull, terms, wordMap } from '../../../src/domain/settings/field-types.ts'
import { type SettingsField, settingsFields, settingsTable } from '../../../src/domain/settings/settings.ts'
import { defaultLimits } from '../../../src/domain/settings/settings-limits.ts'
import { checkSettingsField, parseFields } from '../../../src/domain/settings/settings-rules.ts'
import { describedFields } from '../../../src/management/settings/settings-fields.ts'
import { fromColumns, type SettingsRow, toColumns } from '../../../src/management/settings/settings-row.ts'

const sample: FieldTable = {
  limit: field(integer({ min: 1, max: 9 }), { default: 5, meaning: 'A limit', hasColumn: true }),
  isOn: field(boolean, { default: false, meaning: 'A flag', hasColumn: true }),
  words: field(terms({ maxTerms: 2, maxCharacters: 3 }), { default: [], meaning: 'Words', hasColumn: true }),
  actions: field(wordMap({ keys: ['A'], words: ['B'] }, 'A to B'), { default: {}, meaning: 'A map', hasColumn: true }),
  added: field(orNull(integer({ min: 1 })), { default: null, meaning: 'Added later' }),
  addedList: field(terms({ maxTerms: 2, maxCharacters: 3 }), { default: ['old'], meaning: 'Added later' }),
}
const old = { limit: 3, isOn: true, words: ['a'], actions: { A: 'B' } }
const whole = { ...old, added: 7, addedList: ['b', 'c'] }

describe('a stored document', () => {
  test('comes back as it was', () => expect(parseFields(sample, whole)).toEqual(whole))

  test('has the defaults of the fields that were added after it', () => {
    expect(parseFields(sample, old)).toEqual({ ...old, added: null, addedList: ['old'] })
  })

  test.each(Object.keys(old))('is damaged without %s', name => {
    expect(parseFields(sample, { ...whole, [name]: undefined })).toBeNull()
  })

  test.each(Object.keys(whole))('is damaged with a wrong %s', name => {
    expect(parseFields(sample, { ...whole, [name]: 1.5 })).toBeNull()
  })

  test('shares no value with the table', () => {
    const [first, second] = [parseFields(sample, old), parseFields(sample, old)]
    expect(first?.['addedList']).not.toBe(second?.['addedList'])
    expect(first?.['addedList']).not.toBe(sample['addedList']?.default)
  })
})

describe('a row of the database', () => {
  test('has a column for each old field and one for all that were added', () => {
    expect(toColumns(sample, whole)).toEqual({
      limit: 3,
      isOn: 1,
      words: '["a"]',
      actions: '{"A":"B"}',
      added_settings: '{"added":7,"addedList":["b","c"]}',
    })
  })

  test('gives back what went in', () => {
    const row = toColumns(sample, whole) as unknown as SettingsRow
    expect(fromColumns(sample, row)).toEqual(whole)
  })

  test('has the defaults of the fields that were added after it', () => {
    const row = { ...toColumns(sample, whole), added_settings: '{}' } as unknown as SettingsRow
    expect(fromColumns(sample, row)).toEqual({ ...old, added: null, addedList: ['old'] })
  })
})

describe('the schema that describes a field', () => {
  const schemaOf = (name: SettingsField) =>
    z.fromJSONSchema(describedFields(defaultLimits)[name] as Parameters<typeof z.fromJSONSchema>[0])
  const plausible = fc.oneof(
    fc.jsonValue(),
    fc.integer({ min: -1, max: 20_000 }),
    fc.constantFrom(null, true, 'shadow', [], {}, 32_000, 'x'.repeat(32_001), ['x'.repeat(257)], Array(201).fill('a')),
    fc.array(fc.webUrl({ size: 'small' }).map(url => url.split('/').slice(0, 3).join('/'))),
    fc.dictionary(fc.constantFrom('PERSON', 'US_SSN'), fc.constantFrom('MASK', 'REDACT', 'mask')),
  )

  test.each(settingsFields)('%s: allows every value that is accepted', name => {
    const schema = schemaOf(name)
    fc.assert(
      fc.property(plausible, json => {
        if (checkSettingsField(name, json, () => true).ok) expect(schema.safeParse(json).success).toBe(true)
      }),
    )
  })

  test.each(settingsFields)('%s: allows its default, and says what the field sets', name => {
    expect(schemaOf(name).safeParse(settingsTable[name].default).success).toBe(true)
    expect(describedFields(defaultLimits)[name]?.['description']).toMatch(/^[A-Z].{10,}[^.]$/)
  })

  test.each([
    ['memory_window', [0, 500], [-1, 501, 1.5, '5', null]],
    ['tokens_per_day', [1000], [999, null]],
    ['retention_days', [1, 365, null], [0, 366]],
    ['system_prompt', ['x'.repeat(32_000), null], ['x'.repeat(32_001), 5]],
    ['pii_mode', ['shadow'], ['on', null]],
    ['pii_entities', [{ PERSON: 'MASK' }], [{ PERSON: 'HIDE' }, { shoe_size: 'MASK' }, []]],
    [
      'custom_entities',
      [[{ name: 'EMPLOYEE_ID', patterns: ['E\\d{6}'], words: ['Ada'], context: ['id'], checksum: 'luhn' }]],
      [[{ name: 'lower', words: ['Ada'] }], [{ words: ['Ada'] }], [{ name: 'A_TYPE', words: 'Ada' }], {}],
    ],
    ['sentinel_blocklist', [['a']], [['x'.repeat(257)], Array(201).fill('a'), 'a']],
    ['pii_answer_mode', ['shadow'], ['on', null]],
    ['answer_blocklist', [['a']], [['x'.repeat(257)], Array(201).fill('a'), 'a']],
    [
      'routes',
      [
        null,
        { targets: [{ model: 'a/b' }], strategy: 'fallback' },
        {
          targets: [{ model: 'a/b', weight: 1000, timeout_ms: 1 }],
          strategy: 'weighted',
          retry: { attempts: 3, on: ['connect', 'timeout', '429', '5xx'] },
          first_token_timeout_ms: 600_000,
        },
      ],
      [
        {},
        { targets: [], strategy: 'fallback' },
        { targets: Array(11).fill({ model: 'a/b' }), strategy: 'fallback' },
        { targets: [{ model: 'a/b' }] },
        { targets: [{ model: 'a/b', weight: 0 }], strategy: 'weighted' },
        { targets: [{ model: 'a/b', weigth: 1 }], strategy: 'weighted' },
        { targets: [{ model: 'a/b' }], strategy: 'fallback', retry: { attempts: 4 } },
        { targets: [{ model: 'a/b' }], strategy: 'fallback', retry: { attempts: 1, on: ['400'] } },
        { targets: [{ model: 'a/b' }], strategy: 'fallback', first_token_timeout_ms: 0 },
      ],
    ],
    ['recogniser_url', [null, 'https://presidio.example.com'], [`https://a.example/${'x'.repeat(2048)}`, 7]],
    ['cors_allow_credentials', [true], [1]],
    [
      'cache',
      [null, { ttl_seconds: 1 }, { ttl_seconds: 86_400, scope: 'project' }],
      [
        {},
        { ttl_seconds: 0 },
        { ttl_seconds: 86_401 },
        { ttl_seconds: 60, scope: 'tenant' },
        { ttl_seconds: 60, x: 1 },
        60,
      ],
    ],
    [
      'anonymous',
      [
        null,
        { attestation: ['turnstile'] },
        { attestation: ['app_check'], tier: null, ttl: 60, per_address_per_hour: 1 },
      ],
      [{}, { attestation: [] }, { attestation: ['x'] }, { attestation: ['turnstile'], ttl: 59 }, 'turnstile'],
    ],
  ] as const)('%s: has the limits of the rule', (name, good, bad) => {
    const schema = schemaOf(name)
    for (const value of good) {
      expect([schema.safeParse(value).success, checkSettingsField(name, value, () => true).ok]).toEqual([true, true])
    }
    for (const value of bad) {
      expect([schema.safeParse(value).success, checkSettingsField(name, value, () => true).ok]).toEqual([false, false])
    }
  })
})
