// What the scanner says of whole texts: which type, where, and what it leaves alone.
import { expect, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { withoutOverlaps } from '../../../src/guardrails/pii/overlaps.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../src/guardrails/work-budget.ts'

const structural = entityTypes.filter(type => type !== 'PERSON' && type !== 'LOCATION')

async function find(text: string, wanted: readonly EntityType[] = structural): Promise<string[]> {
  const finds = await findEntities(text, new Set(wanted), createWorkBudget(1e9))
  return finds.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

test('finds in one text what it holds of every structural type', async () => {
  const text =
    'Mail rosa.lind@corp.example or call (415) 555-0132. Card 4111 1111 1111 1111, SSN 219-45-6789, IBAN ' +
    'DE89 3704 0044 0532 0130 00, bank account 8301927465, from 203.0.113.7.'
  expect(await find(text)).toEqual([
    'EMAIL_ADDRESS rosa.lind@corp.example',
    'PHONE_NUMBER (415) 555-0132',
    'CREDIT_CARD 4111 1111 1111 1111',
    'US_SSN 219-45-6789',
    'IBAN_CODE DE89 3704 0044 0532 0130 00',
    'US_BANK_NUMBER 8301927465',
    'IP_ADDRESS 203.0.113.7',
  ])
})

test('a type that nobody wants is not reported and still keeps another type away', async () => {
  expect(await find('account: card 4111111111111111', ['US_BANK_NUMBER'])).toEqual([])
  expect(await find('account 83019274651', ['US_BANK_NUMBER'])).toEqual(['US_BANK_NUMBER 83019274651'])
  const address = 'phone 415-555-0132@corp.example'
  expect(await find(address)).toEqual(['EMAIL_ADDRESS 415-555-0132@corp.example'])
  expect(await find(address, ['PHONE_NUMBER'])).toEqual([])
})

test.each([
  ['visa-4111-1111-1111-1111', '4111-1111-1111-1111'],
  ['visa-4111111111111111', '4111111111111111'],
  ['my_4111 1111 1111 1111', '4111 1111 1111 1111'],
  ['karte–4111 1111 1111 1111', '4111 1111 1111 1111'],
  ['paid by —4111 1111 1111 1111', '4111 1111 1111 1111'],
  ['order-4111111111111111', null],
  ['visa-4111-1111-1111-1112', null],
  ['ticket-212-555-0147', null],
  ['build_2024-11-22_083019274', null],
])('a card that hangs on a word, and nothing else that does: %s', async (text, card) => {
  expect(await find(text)).toEqual(card === null ? [] : [`CREDIT_CARD ${card}`])
})

test('a slice that begins behind a word still knows of it', async () => {
  for (let shift = 0; shift < 24; shift++)
    expect(await find(`${'x'.repeat(shift)} ${'order 212 555 0147, '.repeat(900)}`)).toEqual([])
})

test('offsets hold in a text of many slices, and nothing at a border is found twice or lost', async () => {
  const address = 'rosa.lind@corp.example'
  for (let shift = 0; shift < 600; shift += 7) {
    const text = `${'x'.repeat(shift)} ${`${'lorem ipsum '.repeat(60)}${address} `.repeat(30)}`
    const found = await find(text)
    expect(found).toHaveLength(30)
    expect(new Set(found)).toEqual(new Set([`EMAIL_ADDRESS ${address}`]))
  }
})

test.each([
  ['commas', 'id,ssn,phone,order\n1,536228717,2125550147,3014401931\n2,301440193,6465550199,2125550147'],
  ['tabs', 'id\tssn\tphone\torder\n1\t536228717\t2125550147\t3014401931\n2\t301440193\t6465550199\t2125550147'],
])('a number in a table with %s is what the head of its column says', async (_delimiter, text) => {
  expect(await find(text)).toEqual([
    'US_SSN 536228717',
    'PHONE_NUMBER 2125550147',
    'US_SSN 301440193',
    'PHONE_NUMBER 6465550199',
  ])
})

test('the nearest word says whose a bare number is', async () => {
  const text = 'routing 021000021 account 9900012345 order 8837711203 phone 2125550147 ssn 536228717'
  expect(await find(text)).toEqual(['US_BANK_NUMBER 9900012345', 'PHONE_NUMBER 2125550147', 'US_SSN 536228717'])
  expect(await find('{"ssn":536228717,"phone":"2125550147","order":"2125550147"}')).toEqual([
    'US_SSN 536228717',
    'PHONE_NUMBER 2125550147',
  ])
})

test('a budget that is used up stops the search', async () => {
  const search = findEntities('call 212-555-0147 '.repeat(2_000), new Set(structural), createWorkBudget(10_000))
  await expect(search).rejects.toThrow(WorkBudgetExceeded)
})

test('of finds that overlap the surer stays, of equals the longer, and what only touches stays too', () => {
  const card = { start: 0, end: 10, type: 'CREDIT_CARD', score: 0.8 } as const
  const inner = { start: 2, end: 6, type: 'PHONE_NUMBER', score: 0.9 } as const
  const next = { start: 10, end: 12, type: 'DATE_TIME', score: 0.7 } as const
  expect(withoutOverlaps([next, card, inner])).toEqual([inner, next])
  expect(withoutOverlaps([{ ...inner, score: 0.8 }, card, next])).toEqual([card, next])
  const third = { start: 5, end: 9, type: 'DATE_TIME', score: 0.95 } as const
  expect(withoutOverlaps([card, inner, third])).toEqual([third])
})
