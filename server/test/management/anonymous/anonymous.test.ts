// Tokens for users without an account, over HTTP, by proof of work: on each backend with two processes, so that requests
// of one test are answered by several.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, times, verifyMinted } from '../requests.ts'
import { type AnonymousToken, newAddress, newDevice, openProject, pageOrigin, type Stage } from './anonymous-stage.ts'

const failed = { error: 'The attestation is invalid, has expired or was used before', code: 'attestation_failed' }
const limited = { error: 'Too many anonymous tokens from this address', code: 'RATE_LIMITED' }
const uid = /^anon:[A-Za-z0-9_-]{22}$/
const rules = { attestation: ['proof_of_work'], tier: 'guest', ttl: 600, per_address_per_hour: 10 }

describeEachBackend('anonymous users', start => {
  let plane: ManagementHarness
  let stage: Stage
  beforeAll(async () => {
    plane = await start({ env: { PROCESSES: '2' } })
    stage = await openProject(plane, rules)
  })

  describe('a token', () => {
    test('says who and for how long, and is accepted', async () => {
      const minted = expectOk<AnonymousToken>(await stage.mint({ address: newAddress() }))
      expect(minted).toEqual({
        access_token: expect.any(String),
        expires_in: 600,
        uid: expect.stringMatching(uid),
      })
      const { claims } = await verifyMinted(plane, minted.access_token)
      const { id, ...project } = stage.project
      expect(project.slug).not.toBe('')
      expect(claims).toMatchObject({ pid: id, tid: stage.tenant.id, uid: minted.uid, role: 'user', tier: 'guest' })
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600)
      expectOk(await stage.use(minted.access_token))
    })

    test('of the same device is for the same user, in each project another', async () => {
      const other = await openProject(plane, rules)
      const [client, device] = [{ address: newAddress() }, newDevice()]
      const uids = []
      for (const place of [stage, stage, other]) {
        uids.push(expectOk<AnonymousToken>(await place.mint(client, device)).uid)
      }
      expect(uids[0]).toBe(uids[1])
      expect(uids[2]).not.toBe(uids[0])
      expect(expectOk<AnonymousToken>(await stage.mint(client)).uid).not.toBe(uids[0])
    })

    test('is refused to a blocked device, whose earlier tokens end', async () => {
      const [client, device] = [{ address: newAddress() }, newDevice()]
      const minted = expectOk<AnonymousToken>(await stage.mint(client, device))
      await stage.manage('PUT', `/users/${minted.uid}/block`, { reason: 'Spam' })
      expectRefusal(await stage.mint(client, device), 403, 'User is blocked')
      await expect.poll(async () => (await stage.use(minted.access_token)).status).toBe(403)
      const path = `/auth/v1/projects/${stage.project.id}/users/${minted.uid}/block`
      expectOk(await plane.call('DELETE', path, { session: plane.owner.session }), 204)
      expectOk(await stage.mint(client, device))
    })

    test('is refused where there are no anonymous users', async () => {
      const closed = await openProject(plane, null)
      const answer = await closed.post({ address: newAddress() }, { attestation: { kind: 'turnstile', token: 'x' } })
      expectRefusal(answer, 403, { error: 'This project has no anonymous users', code: 'anonymous_disabled' })
      expect((await closed.challenge({ address: newAddress() })).status).toBe(403)
    })
  })

  describe('a proof', () => {
    test('is accepted once, however many arrive at the same time', async () => {
      const client = { address: newAddress() }
      const attestation = await stage.prove(client)
      const answers = await times(6, () => stage.post(client, { attestation }))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403])
      for (const answer of answers.filter(({ status }) => status === 403)) expectRefusal(answer, 403, failed)
    })

    test('of another project or another address is not accepted', async () => {
      const client = { address: newAddress() }
      const other = await openProject(plane, rules)
      expectRefusal(await stage.post(client, { attestation: await other.prove(client) }), 403, failed)
      expectRefusal(
        await stage.post({ address: newAddress() }, { attestation: await stage.prove(client) }),
        403,
        failed,
      )
    })

    test('without the work is not accepted, nor an attestation that the project does not take', async () => {
      const client = { address: newAddress() }
      const { challenge } = expectOk<{ challenge: string }>(await stage.challenge(client))
      const attestation = { kind: 'proof_of_work', token: `${challenge}.x` }
      expectRefusal(await stage.post(client, { attestation }), 403, failed)
      const foreign = await stage.post(client, { attestation: { kind: 'hcaptcha', token: 'good' } })
      expectRefusal(foreign, 403, { error: 'This project does not accept hcaptcha', code: 'attestation_failed' })
    })
  })

  describe('an address', () => {
    test('gets as many tokens in an hour as the project says, in all processes together', async () => {
      const client = { address: newAddress() }
      const strict = await openProject(plane, { ...rules, per_address_per_hour: 3 })
      const proofs = []
      for (let count = 0; count < 6; count++) proofs.push(await strict.prove(client))
      const answers = await Promise.all(proofs.map(attestation => strict.post(client, { attestation })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429])
      const refused = answers.find(({ status }) => status === 429)
      if (refused === undefined) throw new Error('nobody was refused')
      expectRefusal(refused, 429, limited)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
      expectOk(await strict.mint({ address: newAddress() }))
    })

    test('shares its limit with its /64', async () => {
      const strict = await openProject(plane, { ...rules, per_address_per_hour: 2 })
      const at = (address: string) => strict.mint({ address })
      const statuses = []
      for (const end of ['1:1', '2:2', '3:3']) statuses.push((await at(`2001:db8:5:6:0:0:${end}`)).status)
      expect(statuses).toEqual([200, 200, 429])
      expectOk(await at('2001:db8:5:7::1'))
    })

    test('gets harder challenges the more it asks for, and then none', async () => {
      const strict = await openProject(plane, { ...rules, per_address_per_hour: 5 })
      const client = { address: newAddress() }
      const answers = []
      for (let count = 0; count < 21; count++) answers.push(await strict.challenge(client))
      const difficulties = answers.slice(0, 20).map(answer => expectOk<{ difficulty: number }>(answer).difficulty)
      expect([difficulties[0], difficulties[7], difficulties[8], difficulties[19]]).toEqual([16, 16, 17, 18])
      expectRefusal(answers[20]!, 429, limited)
    })
  })

  describe('the origin', () => {
    test('of an allowed page may read the answers, preflights included', async () => {
      const client = { address: newAddress() }
      const answer = await stage.mint(client)
      expect(answer.headers.get('access-control-allow-origin')).toBe(pageOrigin)
      const preflight = await plane.call('OPTIONS', `${stage.base}/v1/auth/anonymous`, {
        headers: { origin: pageOrigin, 'access-control-request-method': 'POST' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe(pageOrigin)
      expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
    })

    test('of another page gets nothing; a client that is no page gets a token', async () => {
      const client = { address: newAddress() }
      const attestation = await stage.prove(client)
      const foreign = await stage.post({ ...client, origin: 'https://evil.example' }, { attestation })
      expectRefusal(foreign, 403, { error: 'This project does not allow this origin', code: 'origin_not_allowed' })
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
      expect((await stage.challenge({ ...client, origin: 'https://evil.example' })).status).toBe(403)
      expectOk(await stage.post({ ...client, origin: null }, { attestation }))
    })
  })

  test.each<[string, unknown, string]>([
    ['no attestation', {}, 'attestation must be an object with kind and token'],
    [
      'an unknown kind',
      { attestation: { kind: 'x', token: 'x' } },
      'attestation.kind must be one of: turnstile, hcaptcha, recaptcha, proof_of_work, app_check',
    ],
    ['an empty token', { attestation: { kind: 'turnstile', token: '' } }, 'attestation.token must not be empty'],
    [
      'a short device',
      { attestation: { kind: 'turnstile', token: 'x' }, device: 'short' },
      'device must be 16-128 characters of A-Z a-z 0-9 _ -',
    ],
  ])('the body with %s: 400', async (_what, body, words) => {
    expectRefusal(await stage.post({ address: newAddress() }, body), 400, words)
  })
})
