// What the scanner says of whole texts: which type, where, and what it leaves alone.
import { expect, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import type { Finding } from '../../../src/guardrails/finding.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { keepSurest } from '../../../src/guardrails/pii/overlaps.ts'
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

test.each([
  ['account number 4222222222222', 'US_BANK_NUMBER 4222222222222'],
  ['Account number: 36148900647913', 'US_BANK_NUMBER 36148900647913'],
  ['my bank account number is 30569309025904, not my card', 'US_BANK_NUMBER 30569309025904'],
  ['{"account_number":"4222222222222"}', 'US_BANK_NUMBER 4222222222222'],
  ['account number 12345678901237 paid by card', 'US_BANK_NUMBER 12345678901237'],
  ['credit card number 36148900647913', 'CREDIT_CARD 36148900647913'],
  ['card account number 4222222222222', 'CREDIT_CARD 4222222222222'],
  ['account 4222222222222 (visa)', 'CREDIT_CARD 4222222222222'],
  ['account 4111111111111111', 'CREDIT_CARD 4111111111111111'],
  ['phone 4222222222222', 'PHONE_NUMBER 4222222222222'],
])('what has the check digit of a short card is what the words say: %s', async (text, found) => {
  expect(await find(text)).toEqual([found])
})

test.each([
  ['https://img.example/u/bob%40corp.example/a.png', 'EMAIL_ADDRESS bob%40corp.example'],
  ['https://img.example/?next=https%3A%2F%2Fy.example%2F%3Fu%3Dbob%40corp.example', 'EMAIL_ADDRESS bob%40corp.example'],
  ['https://img.example/?u=bob%2540corp.example', 'EMAIL_ADDRESS bob%2540corp.example'],
  ['https://img.example/?u=%62ob%2Bx%40corp%2eexample&v=1', 'EMAIL_ADDRESS %62ob%2Bx%40corp%2eexample'],
  ['to bob%40corp.example now', 'EMAIL_ADDRESS bob%40corp.example'],
  ['to=bob%40@corp.example&x=1', 'EMAIL_ADDRESS bob%40@corp.example'],
  ['tel:%2B14155550132', 'PHONE_NUMBER %2B14155550132'],
  ['https://x.example/?phone=%2B1%20415%20555%200132', 'PHONE_NUMBER %2B1%20415%20555%200132'],
  ['https://x.example/?c=4111%201111%201111%201111', 'CREDIT_CARD 4111%201111%201111%201111'],
  ['https://x.example/?a=1%0A536%2D22%2D8145', 'US_SSN 536%2D22%2D8145'],
])('percent-encoded values are found whole: %s', async (text, found) => {
  expect(await find(text)).toEqual([found])
})

test.each(['100%40 people', 'printf("%2d-%2d-%4d", 212, 555, 1234)', '50%20 of 212%20555%200147', 'http://x/%zz%4'])(
  'a percent sign that encodes nothing stays one: %s',
  async text => {
    expect(await find(text)).toEqual([])
  },
)

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
  const surest = (...finds: Finding[]) => {
    const kept: Finding[] = []
    keepSurest(kept, finds)
    return kept
  }
  const card = { start: 0, end: 10, type: 'CREDIT_CARD', score: 0.8 } as const
  const inner = { start: 2, end: 6, type: 'PHONE_NUMBER', score: 0.9 } as const
  const next = { start: 10, end: 12, type: 'DATE_TIME', score: 0.7 } as const
  expect(surest(next, card, inner)).toEqual([inner, next])
  expect(surest({ ...inner, score: 0.8 }, card, next)).toEqual([card, next])
  const third = { start: 5, end: 9, type: 'DATE_TIME', score: 0.95 } as const
  expect(surest(card, inner, third)).toEqual([third])
  const kept: Finding[] = []
  for (const find of [card, third, next]) keepSurest(kept, [find])
  expect(kept).toEqual([third, next])
})
