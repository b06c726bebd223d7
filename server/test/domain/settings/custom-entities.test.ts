// The check of `custom_entities`, alone and together with `pii_entities`.
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { checkSettingsUpdate, parseSettings } from '../../../src/domain/settings/settings-rules.ts'
import { messageIn, valueIn } from '../expect-checked.ts'

const stored = defaultSettings('https://example.com')
const update = (body: object, row = stored) => checkSettingsUpdate(body, row, () => true)
const define = (...custom_entities: unknown[]) => update({ custom_entities })
const words = ['Ada']

test.each<[body: unknown, message: string]>([
  [null, 'custom_entities must be an array of objects'],
  [{}, 'custom_entities must be an array of objects'],
  [['x'], 'custom_entities must be an array of objects'],
  [Array.from({ length: 21 }, (_, at) => ({ name: `TYPE_${at}`, words })), 'custom_entities must not exceed 20 types'],
  ...['a', 'AB', 'lower', '1AB', 'A-B', 'A'.repeat(33), 5, undefined].map((name): [unknown, string] => [
    [{ name, words }],
    'custom_entities[0].name must match ^[A-Z][A-Z0-9_]{2,31}$',
  ]),
  [[{ name: 'PERSON', words }], 'custom_entities[0].name is already the name of another type'],
  [
    [
      { name: 'ONE', words },
      { name: 'ONE', words },
    ],
    'custom_entities[1].name is already the name of another type',
  ],
  [[{ name: 'ONE', words, action: 'MASK' }], 'custom_entities[0] has an unknown field: action'],
  [[{ name: 'ONE' }], 'custom_entities[0] must have patterns or words'],
  [[{ name: 'ONE', patterns: [], words: [] }], 'custom_entities[0] must have patterns or words'],
  ...[null, 'a', [''], [5], ['a'.repeat(501)], Array(11).fill('a')].map((patterns): [unknown, string] => [
    [{ name: 'ONE', patterns }],
    'custom_entities[0].patterns must be an array of at most 10 strings of 1-500 characters',
  ]),
  ...[null, ['a'], ['  '], ['a\0b'], ['a'.repeat(101)], Array(1_001).fill('ab')].map((list): [unknown, string] => [
    [{ name: 'ONE', words: list }],
    'custom_entities[0].words must be an array of at most 1000 strings of 2-100 characters',
  ]),
  [
    [{ name: 'ONE', words, context: Array(101).fill('ab') }],
    'custom_entities[0].context must be an array of at most 100 strings of 2-100 characters',
  ],
  [[{ name: 'ONE', words, checksum: 'crc' }], 'custom_entities[0].checksum must be one of: luhn, mod97'],
  [
    [
      { name: 'ONE', words },
      { name: 'TWO', patterns: ['a', 'b(?=c)'] },
    ],
    'custom_entities[1].patterns[1] is not a supported pattern: lookahead is not supported',
  ],
  [
    Array.from({ length: 3 }, (_, at) => ({ name: `TYPE_${at}`, words: Array(900).fill('x'.repeat(100)) })),
    'custom_entities must not exceed 200000 characters in total',
  ],
  [
    [0, 1].map(at => ({ name: `TYPE_${at}`, patterns: Array(10).fill('a{250}b{250}c{250}') })),
    'custom_entities must not exceed 10000 states of patterns in total',
  ],
])('case %# is refused', (custom_entities, message) => {
  expect(messageIn(update({ custom_entities }))).toBe(message)
})

test('is stored as it is given', () => {
  const types = [
    { name: 'EMPLOYEE_ID', patterns: ['E\\d{6}'], context: ['employee'], checksum: 'luhn' },
    { name: 'PROJECT', words: ['Blue Heron', 'Ωmega'] },
  ]
  expect(valueIn(define(...types))).toEqual({ custom_entities: types })
  expect(parseSettings({ ...stored, custom_entities: types })?.custom_entities).toEqual(types)
  expect(parseSettings({ ...stored, custom_entities: [{ name: 'A' }] })).toBeNull()
})

test('pii_entities may name a type that is defined in the same update or before it, and no other', () => {
  const unknown = 'pii_entities must map known entity types to MASK, REDACT or BLOCK'
  const custom_entities = [{ name: 'PROJECT', words }]
  const pii_entities = { PROJECT: 'MASK' }
  expect(messageIn(update({ pii_entities }))).toBe(unknown)
  expect(valueIn(update({ pii_entities, custom_entities }))).toEqual({ pii_entities, custom_entities })
  expect(valueIn(update({ pii_entities }, { ...stored, custom_entities }))).toEqual({ pii_entities })
  const used = { ...stored, custom_entities, pii_entities: { PROJECT: 'MASK' } as const }
  expect(messageIn(update({ custom_entities: [] }, used))).toBe(unknown)
  expect(valueIn(update({ custom_entities: [], pii_entities: {} }, used))).toEqual({
    custom_entities: [],
    pii_entities: {},
  })
})
