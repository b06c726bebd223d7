// The row of a request that a budget, a limit or a kill switch refused says which one it was, on both topologies and
// from an inference service of another process; the client does not learn the level.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectOk } from '../../management/requests.ts'
import { openStage, platformKey, type Stage, type TestProject } from '../inference-stage.ts'
import { startSplitRoles } from '../split-roles-stage.ts'
import { answerBody, putBudgets, shortRequest } from './budget-stage.ts'

/** Less than the estimate of a short request. */
const tooSmall = (period: 'day' | 'month') => [{ usd: 0.0005, period }]
const enough = [{ usd: 100, period: 'month' }]

interface Row {
  error: string | null
  budget: { level: string; period: string } | null
  limit: { level: string; period: string } | null
  kill_switch: string | null
}

async function rowsOf({ harness }: Stage, { id }: TestProject, query = ''): Promise<Row[]> {
  const { session } = harness.owner
  return expectOk<{ data: Row[] }>(await harness.call('GET', `/auth/v1/projects/${id}/requests${query}`, { session }))
    .data
}

async function expectRefused(stage: Stage, project: TestProject, level: string, period: string): Promise<void> {
  const refused = () => rowsOf(stage, project, '?error=insufficient_quota')
  await expect.poll(async () => (await refused())[0]?.budget).toEqual({ level, period })
}

async function expectLimited(stage: Stage, project: TestProject, level: string, period: string): Promise<void> {
  const refused = () => rowsOf(stage, project, '?error=rate_limited')
  await expect
    .poll(async () => (await refused())[0])
    .toMatchObject({ error: 'rate_limited', budget: null, limit: { level, period } })
}

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  beforeAll(async () => {
    const env = { PLATFORM_OPENAI_API_KEY: platformKey, PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini' }
    stage = await openStage(backend, { ...env, PLATFORM_TENANT_TOKENS_PER_DAY: '100' }, { own: true })
    stage.script({ body: answerBody() })
  })
  afterAll(() => stage.stop())

  test('of the project, beside a larger one', async () => {
    const budgets = [{ usd: 0.0005, period: 'day' }, ...enough]
    const project = await stage.makeProject({ settings: { budgets } })
    const answer = await project.complete(shortRequest)
    expect([answer.status, answer.body]).toMatchObject([
      429,
      { error: { message: 'The budget of the day is used up' } },
    ])
    expect(answer.text).not.toContain('project')
    await expectRefused(stage, project, 'project', 'day')
    const { session } = stage.harness.owner
    const path = `/auth/v1/projects/${project.id}/requests/export?format=csv`
    const [titles = '', row = ''] = (await stage.harness.call('GET', path, { session })).text.split('\r\n')
    expect(titles).toMatch(/,budget_level,budget_period,limit_level,limit_period,kill_switch$/)
    expect(row).toMatch(/,project,day,,,$/)
  })

  test('of the tier, the end user, the tenant, and a request that none refused', async () => {
    const project = await stage.makeProject({
      settings: { budgets: enough },
      tiers: [{ name: 'gold', overrides: { budgets: tooSmall('month') } }],
    })
    const token = await project.mint({ user_id: 'alice', tier: 'gold' })
    expect((await project.complete(shortRequest, { token })).status).toBe(429)
    await expectRefused(stage, project, 'tier', 'month')
    const bob = await project.mint({ user_id: 'bob' })
    const ask = async (user: string) => (await project.complete(shortRequest, { token: user })).status
    expect(await ask(bob)).toBe(200)
    await expect.poll(async () => (await rowsOf(stage, project))[0]).toMatchObject({ error: null, budget: null })
    await putBudgets(stage, `projects/${project.id}/users/bob`, tooSmall('day'))
    await expect.poll(() => ask(bob)).toBe(429)
    await expectRefused(stage, project, 'end_user', 'day')
    const other = await stage.makeProject()
    await putBudgets(stage, `tenants/${other.tenantId}`, tooSmall('month'))
    await expect.poll(async () => (await other.complete(shortRequest)).status).toBe(429)
    await expectRefused(stage, other, 'tenant', 'month')
  })

  test.each([
    ['of the requests of the project', { rpm_limit: 1 }, 'project', 'minute'],
    ['of the requests of each end user', { user_rpm_limit: 1 }, 'end_user', 'minute'],
    ['of the tokens of the project', { tokens_per_day: 1_000 }, 'project', 'day'],
    ['of the tokens of each end user', { user_tokens_per_day: 1_000 }, 'end_user', 'day'],
  ] as const)('of a limit %s', async (_name, settings, level, period) => {
    const project = await stage.makeProject({ settings })
    const messages = [{ role: 'user', content: 'Why is the sky blue? '.repeat(1_000) }]
    const ask = async () => (await project.complete({ messages, ...shortRequest })).status
    await expect.poll(ask).toBe(429)
    await expectLimited(stage, project, level, period)
    const { session } = stage.harness.owner
    const path = `/auth/v1/projects/${project.id}/requests/export?format=csv&error=rate_limited`
    const [, row = ''] = (await stage.harness.call('GET', path, { session })).text.split('\r\n')
    expect(row.endsWith(`,,,${level},${period},`)).toBe(true)
  })

  test.each(['project', 'tenant', 'global'] as const)('of a kill switch: %s', async scope => {
    const project = await stage.makeProject()
    const id = { project: `/${project.id}`, tenant: `/${project.tenantId}`, global: '' }[scope]
    const turn = async (enabled: boolean) => {
      const { adminSecret } = stage.harness
      const path = `/v1/admin/killswitch/${scope}${id}`
      expectOk(await stage.harness.call('POST', path, { adminSecret, body: { enabled } }))
    }
    await turn(true)
    try {
      await expect.poll(async () => (await project.complete(shortRequest)).status).toBe(403)
      await project.complete(shortRequest)
      const rejected = () => rowsOf(stage, project, '?error=service_disabled')
      await expect
        .poll(async () => (await rejected())[0])
        .toMatchObject({ budget: null, limit: null, kill_switch: scope })
    } finally {
      await turn(false)
    }
    await expect.poll(async () => (await project.complete(shortRequest)).status).toBe(200)
    await expect.poll(async () => (await rowsOf(stage, project))[0]).toMatchObject({ error: null, kill_switch: null })
  })

  test('of the operator, and of a run in the playground', async () => {
    const project = await stage.makeProject({ model: null, hasKey: false })
    expect((await project.complete(shortRequest)).status).toBe(429)
    await expectRefused(stage, project, 'platform', 'day')
    const own = await stage.makeProject({ settings: { budgets: tooSmall('month') } })
    const { session } = stage.harness.owner
    const run = { messages: [{ role: 'user', content: 'Hi' }], ...shortRequest }
    const path = `/auth/v1/projects/${own.id}/playground?use=deployed`
    expect((await stage.harness.call('POST', path, { session, body: run })).status).toBe(429)
    await expectRefused(stage, own, 'project', 'month')
  })
})

test('an inference service of another process says it, too', async () => {
  const { stage, gateway, stop } = await startSplitRoles()
  try {
    stage.script({ body: answerBody() })
    const project = await stage.makeProject({ settings: { budgets: tooSmall('month') } })
    await expect.poll(async () => (await project.complete(shortRequest, { port: gateway.port })).status).toBe(429)
    await expectRefused(stage, project, 'project', 'month')
  } finally {
    await stop()
  }
})
