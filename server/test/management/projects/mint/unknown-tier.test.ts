// Tests tiers that a project does not have over the wire: what a mint, the inspection of a token and the diagnostics
// say of them, and the setting that rejects their requests.
import { beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../../../inference/inference-stage.ts'
import { say } from '../../../support/simulated/provider-answers.ts'

const warning = 'The project has no tier "gold"'

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    stage.script(() => say('openai', { text: ['ok'] }, false))
    project = await stage.makeProject({ tiers: [{ name: 'plus', overrides: { memory_window: 3 } }] })
    return stage.stop
  })

  const manage = async (method: string, path: string, body?: unknown) => {
    const { session } = stage.harness.owner
    const answer = await stage.harness.call(method, `/auth/v1/projects/${project.id}${path}`, { session, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body as Record<string, unknown>
  }
  const keyOf = async () => (await stage.harness.makeApiKey(project.id)).api_key
  const mintWith = async (path: string, tier: string) => {
    const body = { user_id: 'alice', tier }
    const answer = await stage.harness.call('POST', path, { apiKey: await keyOf(), body })
    expect(answer.status).toBe(200)
    return answer.body as { access_token: string; warning?: string }
  }
  const inspect = async (token: string) => {
    const { valid, reason } = await manage('POST', '/inspect-token', { token })
    return { valid, reason }
  }

  test('a mint warns of a tier that is not deployed, on both hosts, and of no other', async () => {
    for (const path of ['/auth/v1/auth/mint', `/p/${project.slug}/v1/auth/mint`]) {
      expect((await mintWith(path, 'gold')).warning).toBe(warning)
      expect(await mintWith(path, 'plus')).not.toHaveProperty('warning')
      expect(await mintWith(path, ' ')).not.toHaveProperty('warning')
    }
  })

  test('its requests get the settings of the project, and are counted; the inspection says so', async () => {
    const { access_token: token } = await mintWith('/auth/v1/auth/mint', 'gold')
    expect((await project.complete({}, { token })).status).toBe(200)
    const noted = async () => (await manage('GET', '/diagnostics'))['data']
    await expect.poll(noted).toMatchObject([{ kind: 'unknown_tier', detail: 'gold', count: 1 }])
    const reason = `${warning}: its requests get the settings of the project`
    expect(await inspect(token)).toEqual({ valid: true, reason })
    const { access_token: known } = await mintWith('/auth/v1/auth/mint', 'plus')
    expect(await inspect(known)).toEqual({ valid: true, reason: null })
  })

  test('reject: 403 in the format of the endpoint, from the deploy on', async () => {
    const { access_token: token } = await mintWith('/auth/v1/auth/mint', 'gold')
    await manage('PUT', '/settings', { unknown_tier: 'reject' })
    expect((await project.complete({}, { token })).status).toBe(200)
    await manage('POST', '/settings/deploy')
    await expect.poll(async () => (await project.complete({}, { token })).status).toBe(403)
    const { body, headers } = await project.complete({}, { token })
    expect(body).toEqual({
      error: { message: warning, type: 'permission_error', param: null, code: 'unknown_tier' },
    })
    expect(headers['x-should-retry']).toBe('false')
    const hello = { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
    expect(await project.ask('POST', '/v1/messages', { token, body: hello })).toMatchObject({
      status: 403,
      body: { type: 'error', error: { type: 'permission_error', message: warning } },
    })
    expect((await mintWith('/auth/v1/auth/mint', 'gold')).warning).toBe(warning)
    expect(await inspect(token)).toEqual({ valid: true, reason: `${warning}: its requests are rejected` })
    for (const tier of ['plus', undefined]) {
      expect((await project.complete({}, { token: await project.mint({ tier }) })).status).toBe(200)
    }
  })

  test('a tier that was deleted is known for its tokens', async () => {
    const [tier] = (await manage('GET', '/tiers')) as unknown as { id: string }[]
    await manage('DELETE', `/tiers/${tier?.id}`)
    await manage('POST', '/settings/deploy')
    const minted = await mintWith('/auth/v1/auth/mint', 'plus')
    expect(minted).not.toHaveProperty('warning')
    expect((await project.complete({}, { token: minted.access_token })).status).toBe(200)
  })

  test('no tier overrides the rule', async () => {
    const { session } = stage.harness.owner
    const path = `/auth/v1/projects/${project.id}/tiers`
    const body = { name: 'odd', overrides: { unknown_tier: 'project' } }
    expect((await stage.harness.call('POST', path, { session, body })).status).toBe(400)
  })
})
