// A user without an account is an end user like any other: listed, counted in usage, limited, revoked and erased.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { expectOk, expectRefusal } from '../requests.ts'
import { type AnonymousToken, newAddress, newDevice, openProject, type Stage } from './anonymous-stage.ts'

const rules = { attestation: ['proof_of_work'] }

describeEachBackend('a user without an account', start => {
  let plane: ManagementHarness
  let stage: Stage
  beforeAll(async () => {
    plane = await start()
    plane.upstream.on('GET /v1/models', { body: { object: 'list', data: [] } })
    plane.upstream.on('POST /v1/chat/completions', say('openai', { text: ['Hello'] }, false))
    stage = await openAnswering()
  })

  const openAnswering = async (settings: object = {}) => {
    const opened = await openProject(plane, rules, settings)
    await plane.giveProvider(opened.tenant.id, 'openai', { api_key: 'sk-good0123456789abcdefghij' })
    await opened.manage('PUT', '/settings/model', { provider_model: 'openai/gpt-4o-mini' })
    return opened
  }

  const mint = async (client: { address: string }, device: string) =>
    expectOk<AnonymousToken>(await stage.mint(client, device))
  const complete = (token: string, { base } = stage) =>
    plane.call('POST', `${base}/v1/chat/completions`, {
      session: token,
      body: { messages: [{ role: 'user', content: 'Hello' }] },
    })
  const listUids = async () => {
    const { data } = (await stage.manage('GET', '/users')) as { data: { uid: string }[] }
    return data.map(({ uid }) => uid)
  }
  const readUsage = async () => {
    const { data } = (await stage.manage('GET', '/usage?group_by=uid')) as { data: { uid: string; requests: number }[] }
    return data.map(({ uid, requests }) => [uid, requests])
  }

  test('is listed with the usage of all tokens, until it is erased', async () => {
    const [client, device] = [{ address: newAddress() }, newDevice()]
    const { uid, access_token } = await mint(client, device)
    expectOk(await complete(access_token))
    expectOk(await complete((await mint(client, device)).access_token))
    await expect.poll(listUids).toContain(uid)
    await expect.poll(readUsage).toContainEqual([uid, 2])
    const erased = await plane.call('DELETE', `/auth/v1/projects/${stage.project.id}/users/${uid}`, {
      session: plane.owner.session,
    })
    expect(erased.status).toBe(202)
    await expect.poll(listUids).not.toContain(uid)
    expect(await readUsage()).toContainEqual(['erased', 2])
  })

  test('needs a new token after its tokens are revoked, which it gets at once', async () => {
    const [client, device] = [{ address: newAddress() }, newDevice()]
    const { uid, access_token } = await mint(client, device)
    expectOk(await stage.use(access_token))
    await stage.manage('POST', `/users/${uid}/revoke-tokens`)
    await expect.poll(async () => (await stage.use(access_token)).status).toBe(401)
    expectOk(await stage.use((await mint(client, device)).access_token))
  })

  test('has the limits of an end user: a second device does not share them', async () => {
    const strict = await openAnswering({ user_rpm_limit: 1 })
    const client = { address: newAddress() }
    const statuses = []
    for (const device of ['first-device-0123', 'first-device-0123', 'second-device-012']) {
      const { access_token } = expectOk<AnonymousToken>(await strict.mint(client, device))
      statuses.push((await complete(access_token, strict)).status)
    }
    expect(statuses).toEqual([200, 429, 200])
  })

  test('cannot take the id of another by naming it', async () => {
    const { uid } = await mint({ address: newAddress() }, newDevice())
    const client = { address: newAddress() }
    const attestation = await stage.prove(client)
    expectRefusal(
      await stage.post(client, { attestation, device: uid }),
      400,
      'device must be 16-128 characters of A-Z a-z 0-9 _ -',
    )
    const named = expectOk<AnonymousToken>(await stage.post(client, { attestation, device: uid.slice('anon:'.length) }))
    expect(named.uid).not.toBe(uid)
  })
})
