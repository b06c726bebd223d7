// What the scanner says of whole texts: which type, where, and what it leaves alone.
import { expect, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'

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
