// What hostile clients try against two replicas on one PostgreSQL and Redis: each attestation counts once and each limit
// is exact over both, however the requests are spread.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type ManagementHarness, startManagement } from '../../support/management-harness.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { expectOk, expectRefusal, times } from '../requests.ts'
import { eachOf } from '../send.ts'
import { newAddress, openProject, pageOrigin, type Stage } from './anonymous-stage.ts'

const failed = { error: 'The attestation is invalid, has expired or was used before', code: 'attestation_failed' }
const limited = { error: 'Too many anonymous tokens from this address', code: 'RATE_LIMITED' }

let plane: ManagementHarness
let second: Product
let stage: Stage
beforeAll(async () => {
  plane = await startManagement('postgres', { own: true })
  second = await startProduct({ env: { ...plane.env, BASE_URL: `http://localhost:${plane.product.port}` } })
  stage = await openProject(plane, { attestation: ['proof_of_work'], per_address_per_hour: 5 })
})
afterAll(async () => {
  await second?.stop()
  await plane?.stop()
})

/** The same request to one of both. */
async function send(replica: number, method: string, rest: string, address: string, body?: unknown): Promise<Answer> {
  const base = replica % 2 === 0 ? plane.baseUrl : second.baseUrl
  const response = await fetch(`${base}${stage.base}/v1/auth/anonymous${rest}`, {
    method,
    headers: { origin: pageOrigin, 'x-forwarded-for': address, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text), headers: response.headers, tookMs: 0 }
}
const mint = (replica: number, address: string, attestation: object) =>
  send(replica, 'POST', '', address, { attestation })
const countOf = (answers: readonly Answer[], status: number) => answers.filter(one => one.status === status).length

test('a challenge of one replica is valid on the other, once on both together', async () => {
  const address = newAddress()
  const attestation = await stage.prove({ address })
  expectOk(await mint(1, address, attestation))
  for (const replica of [0, 1]) expectRefusal(await mint(replica, address, attestation), 403, failed)
  const next = await stage.prove({ address })
  const answers = await times(20, index => mint(index, address, next))
  expect([countOf(answers, 200), countOf(answers, 403)]).toEqual([1, 19])
})

test('a challenge that is shared is worth nothing at another address', async () => {
  const attestation = await stage.prove({ address: newAddress() })
  const answers = await times(20, index => mint(index, newAddress(), attestation))
  for (const answer of answers) expectRefusal(answer, 403, failed)
})

test('an address that wants a thousand tokens gets five, and twenty challenges', async () => {
  const address = newAddress()
  const proofs: object[] = []
  for (let count = 0; count < 20; count++) proofs.push(await stage.prove({ address }))
  const thousand = Array.from({ length: 1_000 }, (_, index) => index)
  const challenges = await eachOf(thousand, index => send(index, 'GET', '/challenge', address), 50)
  expect(countOf(challenges, 429)).toBe(1_000)
  const answers = await eachOf(thousand, index => mint(index, address, proofs[index % proofs.length] ?? {}), 50)
  expect(countOf(answers, 200)).toBe(5)
  expect(countOf(answers, 429) + countOf(answers, 403)).toBe(995)
  for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
    expect(body).toEqual(status === 429 ? limited : failed)
  }
})

test('all addresses of a /64 share a limit over both replicas', async () => {
  const addressOf = (index: number) => `2001:db8:77:1::${(index + 1).toString(16)}`
  const proofs: object[] = []
  for (let index = 0; index < 10; index++) proofs.push(await stage.prove({ address: addressOf(index) }))
  const answers = await Promise.all(proofs.map((proof, index) => mint(index, addressOf(index), proof)))
  expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([5, 5])
})
