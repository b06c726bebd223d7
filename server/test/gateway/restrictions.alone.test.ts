// Tests blocked end users and revoked tokens at the gateway: the responses, calls in flight, and that both apply while
// the store or the database is unavailable.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { AdmittedCall } from '../../src/call/admitted-call.ts'
import { replyJson } from '../../src/http/reply.ts'
import { nameKeys } from '../../src/kv/redis/keys.ts'
import { blockEndUser, revokeTokens, unblockEndUser } from '../../src/storage/end-users/restrict.ts'
import { getProjectedRestrictions } from '../../src/storage/projections.ts'
import {
  externalAudience,
  externalClaims,
  externalIssuer,
  keySetText,
  makeKey,
  makeToken,
} from '../crypto/token-kit.ts'
import { startRedis } from '../support/redis.ts'
import { roomFor } from '../support/slowness.ts'
import { openStage, type Stage, type TestProject } from './gateway-stage.ts'

const blocked = { status: 403, json: { error: 'forbidden', message: 'User is blocked' } }
const revoked = { status: 401, json: { error: 'unauthorized', message: 'Token revoked' } }
const nowSeconds = () => Math.floor(Date.now() / 1000)

type Change = 'block' | 'unblock' | { revokeBefore: number }

/** Writes as management does: first the rows, then the store (unless `isPushed` is false). */
async function restrict(stage: Stage, { projectId }: TestProject, userId: string, change: Change, isPushed = true) {
  const { sql } = stage.database
  const user = { projectId, userId }
  if (change === 'block') await blockEndUser(sql, user, null, Date.now())
  else if (change === 'unblock') await unblockEndUser(sql, user)
  else await revokeTokens(sql, user, change.revokeBefore)
  if (isPushed) await stage.kv.putRestrictions(projectId, await getProjectedRestrictions(sql, projectId))
}

const tokenOf = (stage: Stage, project: TestProject, uid: string, iat = nowSeconds() - 10) =>
  stage.tokenFor(project, { uid, iat, nbf: iat })
const ask = (stage: Stage, project: TestProject, token: string, copy = 0) =>
  stage.call(project, 'GET', '/v1/threads', { token, copy })

/** Responds when the call is ended, with the reason. */
const untilEnded = async (call: AdmittedCall) => {
  const ended = await new Promise(resolve => call.listen(resolve))
  replyJson(call.response, 200, { ended })
}

describe.each(['process', 'redis'] as const)('with the store %s', kind => {
  const open = (options: Parameters<typeof openStage>[0] = {}) =>
    openStage({ redisUrl: kind === 'redis' ? inject('redisUrl') : null, ...options })

  test('a blocked user is refused on every route, others are not, and after the block neither', async () => {
    const stage = await open()
    const [project, sibling] = [await stage.makeProject(), await stage.makeProject()]
    const [alice, bob] = [tokenOf(stage, project, 'alice'), tokenOf(stage, project, 'bob')]
    expect(await ask(stage, project, alice)).toMatchObject({ status: 200 })
    await restrict(stage, project, 'alice', 'block')
    for (const path of ['/v1/models', '/v1/threads/t', '/v1/billing/usage']) {
      expect(await stage.call(project, 'GET', path, { token: alice })).toMatchObject(blocked)
    }
    expect(await stage.complete(project, { token: alice })).toMatchObject(blocked)
    // Reported before errors in the body, and not charged.
    expect(await stage.complete(project, { token: alice, body: '{' })).toMatchObject(blocked)
    expect((await ask(stage, project, bob)).headers['x-ratelimit-remaining-requests']).toBe('58')
    expect(await ask(stage, sibling, tokenOf(stage, sibling, 'alice'))).toMatchObject({ status: 200 })
    await restrict(stage, project, 'alice', 'unblock')
    await expect.poll(async () => (await ask(stage, project, alice)).status).toBe(200)
  })

  test('tokens issued at or before a revocation are refused, also those that were verified before', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const at = nowSeconds() - 5
    const [old, same, young] = [-1, 0, 1].map(more => tokenOf(stage, project, 'alice', at + more)) as [
      string,
      string,
      string,
    ]
    for (const token of [old, same, young]) expect(await ask(stage, project, token)).toMatchObject({ status: 200 })
    await restrict(stage, project, 'alice', { revokeBefore: at })
    expect(await ask(stage, project, old)).toMatchObject(revoked)
    expect(await ask(stage, project, same)).toMatchObject(revoked)
    expect(await ask(stage, project, young)).toMatchObject({ status: 200 })
    expect(await ask(stage, project, tokenOf(stage, project, 'bob', at - 1))).toMatchObject({ status: 200 })
    // A revoked token is reported before the block. An earlier revocation changes nothing.
    await restrict(stage, project, 'alice', 'block')
    await restrict(stage, project, 'alice', { revokeBefore: at - 100 })
    expect(await ask(stage, project, same)).toMatchObject(revoked)
    expect(await ask(stage, project, young)).toMatchObject(blocked)
  })

  test('external tokens are revoked by their iat, those without one whenever they are', async () => {
    const stage = await open()
    const key = makeKey('idp-1')
    const jwksUrl = 'https://idp.example.net/jwks'
    const rules = { issuer: externalIssuer, jwks_url: jwksUrl, audience: externalAudience }
    const provider = { ...rules, user_id_claim: 'sub', tier_claim: null }
    const project = await stage.makeProject({}, { identity_provider: provider })
    await stage.kv.putKeySet(project.projectId, {
      revision: 1,
      body: JSON.stringify({ jwks_url: jwksUrl, ...JSON.parse(keySetText(key)) }),
    })
    const at = nowSeconds() - 5
    const external = (claims: Record<string, unknown>) =>
      makeToken(key, { alg: 'RS256', kid: key.kid }, externalClaims({ sub: 'alice', exp: at + 3600, ...claims }))
    const tokens = [external({ iat: at }), external({ iat: undefined, nbf: undefined }), external({ iat: at + 1 })]
    const statuses = async () => {
      const answers: number[] = []
      for (const token of tokens) answers.push((await ask(stage, project, token)).status)
      return answers
    }
    expect(await statuses()).toEqual([200, 200, 200])
    await restrict(stage, project, 'alice', { revokeBefore: at })
    expect(await statuses()).toEqual([401, 401, 200])
  })

  test.each([
    ['a block', 'block', 'user_blocked'],
    ['a revocation', { revokeBefore: nowSeconds() + 60 }, 'token_revoked'],
  ] as const)('%s ends the calls in flight of its user within two seconds, no others', async (_name, change, ended) => {
    const stage = await open({ answer: untilEnded })
    const project = await stage.makeProject()
    const answers = ['alice', 'bob'].map(uid => stage.complete(project, { token: tokenOf(stage, project, uid) }))
    await expect.poll(() => stage.calls.length).toBe(2)
    const startedAt = performance.now()
    await restrict(stage, project, 'alice', change)
    expect(await answers[0]).toMatchObject({ json: { ended } })
    expect(performance.now() - startedAt).toBeLessThan(roomFor(2_000))
    await restrict(stage, project, 'bob', 'block')
    expect(await answers[1]).toMatchObject({ json: { ended: 'user_blocked' } })
  })

  test('a call that is admitted while the block comes is ended too', async () => {
    const stage = await open({ answer: untilEnded })
    const project = await stage.makeProject()
    const token = tokenOf(stage, project, 'alice')
    const admit = stage.copies[0]!.kv.admit
    // The block comes into force after the admission, before the call is registered.
    vi.spyOn(stage.copies[0]!.kv, 'admit').mockImplementation(async request => {
      const admission = await admit(request)
      await restrict(stage, project, 'alice', 'block')
      await sleep(50)
      return admission
    })
    expect(await stage.complete(project, { token })).toMatchObject({ json: { ended: 'user_blocked' } })
  })
})

test.each([
  ['an admission', undefined],
  ['a fault of the body', '{'],
])('%s finds a block of which nobody told this replica', async (_name, body) => {
  const stage = await openStage({ redisUrl: inject('redisUrl') })
  const project = await stage.makeProject()
  const token = tokenOf(stage, project, 'alice')
  expect(await ask(stage, project, token)).toMatchObject({ status: 200 })
  await restrict(stage, project, 'alice', 'block', false)
  const { revision, body: document } = await getProjectedRestrictions(stage.database.sql, project.projectId)
  const redis = createClient({ url: inject('redisUrl') })
  await redis.connect()
  onTestFinished(() => redis.destroy())
  // Without publishing the change.
  await redis.hSet(nameKeys(stage.keyPrefix).restrictions(project.projectId), {
    revision: String(revision),
    body: document,
  })
  expect(await stage.complete(project, { token, ...(body === undefined ? {} : { body }) })).toMatchObject(blocked)
})

describe('with the store gone', () => {
  async function openOutage(options: Parameters<typeof openStage>[0] = {}) {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    return { redis, stage: await openStage({ redisUrl: redis.url, commandTimeoutMs: 1_000, ...options }) }
  }

  test('a block in the database is in force within a second', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject()
    const token = tokenOf(stage, project, 'alice')
    expect(await ask(stage, project, token)).toMatchObject({ status: 200 })
    await redis.kill()
    expect(await ask(stage, project, token)).toMatchObject({ status: 200 })
    await restrict(stage, project, 'alice', 'block', false)
    await sleep(1_000)
    expect(await ask(stage, project, token)).toMatchObject(blocked)
    expect(await ask(stage, project, tokenOf(stage, project, 'bob'))).toMatchObject({ status: 200 })
  })

  test('a stream ends within two seconds though no other request comes', async () => {
    const { redis, stage } = await openOutage({ answer: untilEnded })
    const project = await stage.makeProject()
    const answer = stage.complete(project, { token: tokenOf(stage, project, 'alice') })
    await expect.poll(() => stage.calls.length).toBe(1)
    await redis.kill()
    await sleep(3_000)
    const startedAt = performance.now()
    await restrict(stage, project, 'alice', 'block', false)
    expect(await answer).toMatchObject({ json: { ended: 'user_blocked' } })
    expect(performance.now() - startedAt).toBeLessThan(roomFor(2_000))
  })

  test('a store that came back empty does not let a blocked user in', async () => {
    const { redis, stage } = await openOutage({ copies: 2 })
    const project = await stage.makeProject()
    const token = tokenOf(stage, project, 'alice')
    await restrict(stage, project, 'alice', 'block')
    expect(await ask(stage, project, token)).toMatchObject(blocked)
    await redis.restart()
    await expect.poll(() => stage.kv.isSeeded().catch(() => null)).toBe(false)
    await stage.push(project)
    expect(await ask(stage, project, token)).toMatchObject(blocked)
    // This replica has not read the project before.
    expect(await ask(stage, project, token, 1)).toMatchObject(blocked)
  })
})

test('without the database the store says who is blocked, and that nobody is', async () => {
  const stage = await openStage({ redisUrl: inject('redisUrl') })
  const [project, unrestricted] = [await stage.makeProject(), await stage.makeProject()]
  await restrict(stage, project, 'alice', 'block')
  await stage.database.close()
  expect(await ask(stage, project, tokenOf(stage, project, 'alice'))).toMatchObject(blocked)
  expect(await ask(stage, project, tokenOf(stage, project, 'bob'))).toMatchObject({ status: 200 })
  expect(await ask(stage, unrestricted, tokenOf(stage, unrestricted, 'alice'))).toMatchObject({ status: 200 })
})

test('a damaged document of the store lets no blocked user in', async () => {
  const stage = await openStage()
  const project = await stage.makeProject()
  await restrict(stage, project, 'alice', 'block', false)
  await stage.kv.putRestrictions(project.projectId, { revision: 1, body: '{"blocked":["alice",5],"revoked":[]}' })
  expect(await ask(stage, project, tokenOf(stage, project, 'alice'))).toMatchObject(blocked)
})
