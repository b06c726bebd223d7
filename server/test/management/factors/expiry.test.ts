// What time ends: challenges after five minutes, the lock of codes after a quarter of an hour, single failures too.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcess, inProcessOwner, startInProcess } from '../../support/management-in-process.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { paths } from './people.ts'

const minuteMs = 60_000
let plane: InProcess
let secret = ''

beforeAll(async () => {
  plane = await startInProcess()
  const token = await plane.signIn()
  secret = String((await plane.call('POST', paths.totp, { token })).body['secret'])
  const body = { code: totpCode(secret, plane.clock.now()) }
  expect((await plane.call('POST', `${paths.totp}/confirm`, { token, body })).status).toBe(200)
})
afterAll(() => plane.stop())

async function begin(): Promise<string> {
  plane.clock.advance(minuteMs)
  return String((await plane.call('POST', paths.sessions, { body: inProcessOwner })).body['challenge'])
}

const rightCode = () => totpCode(secret, plane.clock.now())
const wrongCode = () => totpCode(secret, plane.clock.now() + 60 * minuteMs)

async function prove(challenge: string, code: string) {
  const { status, body } = await plane.call('POST', paths.secondFactor, { body: { challenge, code } })
  return [status, body['code']]
}

test('a challenge ends after five minutes', async () => {
  const [early, late] = [await begin(), await begin()]
  plane.clock.advance(3.9 * minuteMs)
  expect(await prove(early, rightCode())).toEqual([200, undefined])
  plane.clock.advance(1.2 * minuteMs)
  expect(await prove(late, rightCode())).toEqual([401, 'challenge_invalid'])
})

test('ten wrong codes lock for a quarter of an hour from the tenth on', async () => {
  for (let count = 0; count < 10; count++) {
    expect(await prove(await begin(), wrongCode())).toEqual([401, 'wrong_code'])
  }
  plane.clock.advance(13.8 * minuteMs)
  expect(await prove(await begin(), rightCode())).toEqual([429, 'codes_locked'])
  expect(await prove(await begin(), rightCode())).toEqual([200, undefined])
})

test('nine wrong codes do not, and count no more a quarter of an hour later', async () => {
  const fail = async () => {
    for (let count = 0; count < 9; count++) expect(await prove(await begin(), wrongCode())).toEqual([401, 'wrong_code'])
  }
  await fail()
  expect(await prove(await begin(), rightCode())).toEqual([200, undefined])
  plane.clock.advance(15 * minuteMs)
  await fail()
  expect(await prove(await begin(), rightCode())).toEqual([200, undefined])
})
