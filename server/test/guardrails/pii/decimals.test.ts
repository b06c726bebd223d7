// Decimal numbers are nobody's data: scores, embeddings, coordinates and versions, in every way that programs and
// people write them, also beside words for telephones. Telephone numbers with dots stay what they are.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { EntityType } from '../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'

const wanted = new Set<EntityType>(['PHONE_NUMBER', 'CREDIT_CARD', 'US_SSN', 'US_BANK_NUMBER'])

async function find(text: string): Promise<string[]> {
  const finds = await findEntities(text, wanted, createWorkBudget(1e9))
  return finds.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

test.each([
  'p = 0.804733217',
  'phone 0.8047332170',
  'My number is 0.804733217',
  '{"phone_score":0.804733217,"call":804.733217045,"tel":-0.12345678}',
  'contact score .804733217, tel score -.804733217',
  '0.8047332170 (call me)',
  'phone share 12.345678901',
  '(48.8583701, 2.2944813)',
  'POINT(-122.4194155 37.7749295)',
  '+12.34567890 and +0.804733217',
  '[0.12345678 0.98765432 0.55555555]',
  'mobile users: 10 0.80473321',
  '605 557.1236 842.335 997.016',
  '804.733 2170',
  'p = 0.804 733 217',
  '0.804-733-2170',
  '1.5804733217e-05 and 8.04733217e+09',
  'Telefonquote 0,8047332170 (p<0,05); mobil = 12,345678901',
  'tel 0,804733217, 0,912345678',
  'p = 0,4111111111111111',
  'tel ٠٫٨٠٤٧٣٣٢١٧ and 0·804733217',
  'phone = -4155550132, [-4155550132,-4155550133] calls',
  'ssn ratio 12.3456789, ssn .536228717, ssn 0,536228717',
  'account balance 0,83019274',
  'version 0.12.345678',
  '0.1.20230415',
  'phone,score\nsee above,0.804733217\nsee below,8047332170',
])('%s holds nothing', async text => {
  expect(await find(text)).toEqual([])
})

test.each([
  ['804.733.2170', '804.733.2170'],
  ['(804) 733.2170', '(804) 733.2170'],
  ['804.733-2170', '804.733-2170'],
  ['1.804.733.2170', '1.804.733.2170'],
  ['+1.8047332170', '+1.8047332170'],
  ['01.42.68.53.00', '01.42.68.53.00'],
  ['tel 030.12345678', '030.12345678'],
  ['phone 804.7332170', '804.7332170'],
  ['phone: 555.0132', '555.0132'],
  ['phone 804 733.2170', '804 733.2170'],
  ['0804 733217 0.5', '0804 733217'],
  ['id,phone\n0,8047332170', '8047332170'],
  ['phones: 0,8047332170,1,', '8047332170'],
  ['Tel 030,12345678', '12345678'],
])('%s is a telephone number', async (text, number) => {
  expect(await find(text)).toEqual([`PHONE_NUMBER ${number}`])
})

const label = fc.constantFrom('p = ', 'score ', 'call rate = ', 'contact ', 'mobile_share=', 'number ', 'text ')
const fraction = fc
  .tuple(
    fc.constantFrom('0', '-0', '12', '-122', '48'),
    fc.integer({ min: 1, max: 17 }),
    fc.bigInt(0n, 10n ** 17n - 1n),
  )
  .map(([whole, length, digits]) => `${whole}.${digits.toString().padStart(17, '0').slice(0, length)}`)
const joint = fc.constantFrom(', ', ',', ' ', '\t', ';', '; ', '\n', ' | ')

test('no list of decimal numbers holds anything, with a point or a comma', async () => {
  const lists = fc.tuple(label, fc.array(fraction, { minLength: 1, maxLength: 8 }), joint, fc.boolean())
  await fc.assert(
    fc.asyncProperty(lists, async ([before, numbers, between, hasComma]) => {
      // With a comma, at the head of a line or between other commas, it may be a row of a table.
      const isOpen = hasComma && (between === ',' || between === '\n')
      const written = hasComma ? numbers.map(number => number.replace('.', ',')) : numbers
      expect(await find(before + written.join(isOpen ? '; ' : between))).toEqual([])
    }),
    { numRuns: inject('prove') ? 10_000 : 1_000 },
  )
})
