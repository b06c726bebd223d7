// Forms in which people write numbers and dates, each beside harmless texts that look alike.
import { expect, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'

const structural = new Set<EntityType>(entityTypes.filter(type => type !== 'PERSON' && type !== 'LOCATION'))

async function find(text: string): Promise<string[]> {
  const finds = await findEntities(text, structural, createWorkBudget(1e9))
  return finds.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

test.each([
  ['030 / 1234567', '030 / 1234567'],
  ['Tel. 089 / 123 45 67', '089 / 123 45 67'],
  ['+49 (0) 30 / 12 34 56', '+49 (0) 30 / 12 34 56'],
  ['+44 20 - 7946 - 0018', '+44 20 - 7946 - 0018'],
  ['call 020 - 7946 0018', '020 - 7946 0018'],
  ['phone 415 - 555 - 0132', '415 - 555 - 0132'],
  ['(415) 555 - 0132', '(415) 555 - 0132'],
  ['phone 221 - 471188', '221 - 471188'],
  ['phone 0221 - 47 - 1188', '0221 - 47 - 1188'],
  ['phone 4155550132 - 9 to 5', '4155550132'],
  ['call 0161 496 0132 / 30 tickets', '0161 496 0132'],
  ['phone 0161 496 0132 - 10 people', '0161 496 0132'],
  ['tel 8041236 - 0.25', '8041236'],
  ['+49 30 1234567 - 9 to 5', '+49 30 1234567'],
  ['phone 12 / 345678', '345678'],
])('telephone numbers are written with wide separators: %s', async (text, number) => {
  expect(await find(text)).toContain(`PHONE_NUMBER ${number}`)
})

test.each([
  '415 - 555 - 0132 = -272',
  'processed 0500 / 10000',
  'call 100 / 200 / 300 tickets',
  'phone 09000 - 17000',
  '1234 - 5678',
  '0.804733 - 0.123456',
  'call 12 / 345678',
  'phone 0221 - 12.345678',
  '536 - 22 - 8145',
  '4111 - 1111 - 1111 - 1111',
])('neither shares, ranges nor sums are telephone numbers: %s', async text => {
  expect(await find(text)).toEqual([])
})

test.each([
  ['phoned her on 4960132', 'PHONE_NUMBER 4960132'],
  ['they telephoned 496 0132 again', 'PHONE_NUMBER 496 0132'],
  ['dialling 4960132', 'PHONE_NUMBER 4960132'],
  ['rang 496 0132 twice', 'PHONE_NUMBER 496 0132'],
  ['account 12345678 - 50000', 'US_BANK_NUMBER 12345678'],
  ['account 1234-5678 / 50000', 'US_BANK_NUMBER 1234-5678'],
  ['account 123456789012345 - 500', 'US_BANK_NUMBER 123456789012345'],
  ['ssn 536228145 / 50000', 'US_SSN 536228145'],
  ['my accountno is 12345678', 'US_BANK_NUMBER 12345678'],
  ['bank account number 4242424242424242', 'US_BANK_NUMBER 4242424242424242'],
  ['checking account 371449635398431', 'US_BANK_NUMBER 371449635398431'],
  ['{"bank_account":"4532015112830366"}', 'US_BANK_NUMBER 4532015112830366'],
  ['routing 021000021 account 5555555555554444', 'US_BANK_NUMBER 5555555555554444'],
  ['savings account 4111-1111-1111-1111', 'CREDIT_CARD 4111-1111-1111-1111'],
  ['bank account card 4111111111111111', 'CREDIT_CARD 4111111111111111'],
  ['the card of my bank account is 4111111111111111', 'CREDIT_CARD 4111111111111111'],
  ['account 4111111111111111', 'CREDIT_CARD 4111111111111111'],
])('a number is what the word beside it says: %s', async (text, found) => {
  expect(await find(text)).toEqual([found])
})

test.each([
  'phoned 2000 people',
  'embedding 415 555 0132',
  'checksum 212 555 0147',
  'vector: 646 555 0199',
  'text 84155',
])('no telephone number: %s', async text => {
  expect(await find(text)).toEqual([])
})

test.each([
  ['ping fe80::1%eth0 now', 'fe80::1%eth0'],
  ['fe80::1ff:fe23:4567:890a%12.', 'fe80::1ff:fe23:4567:890a%12'],
  ['ff02::1%en0/64', 'ff02::1%en0/64'],
  ['http://[fe80::1%25eth0]:8080/', 'fe80::1%25eth0'],
  ['on 2001:db8::1%wlan-0.100, please', '2001:db8::1%wlan-0.100'],
  ['route 192.168.1.0/24 there', '192.168.1.0/24'],
  ['2001:db8::/32.', '2001:db8::/32'],
  ['allow ::/0', '::/0'],
])('an address includes its zone and prefix length: %s', async (text, address) => {
  expect(await find(text)).toEqual([`IP_ADDRESS ${address}`])
})

test.each([
  ['fe80::1% of it', 'fe80::1'],
  ['fe80::1%', 'fe80::1'],
  ['2001:db8:1::1%20and', '2001:db8:1::1'],
  ['allow 10.0.0.1/33', '10.0.0.1'],
  ['server 10.0.0.1/24/7', '10.0.0.1'],
  ['http://10.0.0.1/24.html', '10.0.0.1'],
  ['http://10.0.0.1/24-7', '10.0.0.1'],
  ['http://10.0.0.1/24h', '10.0.0.1'],
  ['2001:db8::1/129', '2001:db8::1'],
  ['10.0.0.1/', '10.0.0.1'],
])('what follows an address otherwise is not part of it: %s', async (text, address) => {
  expect(await find(text)).toEqual([`IP_ADDRESS ${address}`])
})

test.each([
  ['%22bob%40corp.example%22', 'bob%40corp.example'],
  ['%3Cbob%40corp.example%3E', 'bob%40corp.example'],
  ['user%3Dbob%40corp.example%26x', 'bob%40corp.example'],
  ['bob%40corp%2Eexample', 'bob%40corp%2Eexample'],
  ['bob%2Blists%40corp.example', 'bob%2Blists%40corp.example'],
])('an encoded address outside a URL is decoded too: %s', async (text, address) => {
  expect(await find(text)).toEqual([`EMAIL_ADDRESS ${address}`])
})

test.each(['50%40 of 30%20', 'a 10%40b', '%2d-%2d bob%40', '100%20 x%40'])('no address: %s', async text => {
  expect(await find(text)).toEqual([])
})

test.each([
  ['in mid-to-late March', 'mid-to-late March'],
  ['early to mid 2019', 'early to mid 2019'],
  ['end-of-March', 'end-of-March'],
  ['an end-of-year party', 'end-of-year'],
  ['the early hours of 3 May 2020', 'early hours of 3 May 2020'],
  ['the early hours of the 4th', 'early hours of the 4th'],
  ['the early hours of Monday', 'early hours of Monday'],
  ['a mid-19th century house', 'mid-19th century'],
  ['mid-March 2021', 'mid-March 2021'],
  ['the morning of 3 May', 'morning of 3 May'],
  ['late to 3 May', '3 May'],
])('bound words and parts of the day belong to a date: %s', async (text, date) => {
  expect(await find(text)).toEqual([`DATE_TIME ${date}`])
})

test.each([
  'end-of-life, end-of-file and end-to-end',
  'in the early hours',
  'the early hours of the project',
  'early to bed',
  'mid to high',
  'mid-sentence',
])('no date: %s', async text => {
  expect(await find(text)).toEqual([])
})
