// Tests that the routes of budgets return what was spent in the running day and month: of a tenant, a project and an end
// user, each only its own, on both topologies.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { answerBody, answerUsd, putBudgets, shortRequest } from './budget-stage.ts'

interface Spending {
  budgets: unknown
  spent_usd: { day: number; month: number }
  period_ends: { day: string; month: string }
}

const tenantBudgets = [{ usd: 50, period: 'month' }]
const projectBudgets = [{ usd: 40, period: 'month' }]
const userBudgets = [{ usd: 30, period: 'day' }]
/** In nano-dollars. */
const [earlierCost, lastMonthCost] = [7e9, 100e9]

describe.each(['sqlite', 'postgres'] as const)('what was spent of budgets, on %s', backend => {
  let stage: Stage
  let project: TestProject
  let second: TestProject
  let foreign: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    stage.script({ body: answerBody() })
    project = await stage.makeProject({ settings: { budgets: projectBudgets } })
    second = await stage.makeProject({ tenantId: project.tenantId })
    foreign = await stage.makeProject()
    await putBudgets(stage, `tenants/${project.tenantId}`, tenantBudgets)
    await putBudgets(stage, userOf(project, 'alice'), userBudgets)
    const token = await project.mint({ user_id: 'bob' })
    const answers = [
      await project.complete(shortRequest),
      await project.complete(shortRequest),
      await project.complete(shortRequest, { token }),
      await second.complete(shortRequest),
      await foreign.complete(shortRequest),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await addUsage(anotherDayOfMonth(), earlierCost)
    await addUsage(lastDayOfLastMonth(), lastMonthCost)
  })
  afterAll(() => stage?.stop())

  const userOf = ({ id }: TestProject, user: string) => `projects/${id}/users/${user}`

  async function addUsage(day: string, nanousd: number): Promise<void> {
    const text = 'insert into usage_days values (?, ?, ?, ?, 1, 1, 1, 2, ?) returning day'
    await stage.harness.query(text, [project.id, day, 'alice', 'openai/gpt-4o-mini', nanousd])
  }

  function anotherDayOfMonth(): string {
    const [month, day] = [new Date().toISOString().slice(0, 7), new Date().getUTCDate()]
    return `${month}-${day === 1 ? '02' : '01'}`
  }

  function lastDayOfLastMonth(): string {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString().slice(0, 10)
  }

  async function read(path: string): Promise<Spending> {
    const { harness } = stage
    const answer = await harness.call('GET', `/auth/v1/${path}/budgets`, { session: harness.owner.session })
    expect(answer.status).toBe(200)
    return answer.body as Spending
  }

  /** By the number of answers, and whether the usage of another day of the month is of the spender. */
  const spent = (answers: number, hasEarlier: boolean) => ({
    day: expect.closeTo(answers * answerUsd, 9),
    month: expect.closeTo(answers * answerUsd + (hasEarlier ? earlierCost / 1e9 : 0), 9),
  })

  test.for([
    ['a tenant: all its projects', () => `tenants/${project.tenantId}`, tenantBudgets, 4, true],
    ['another tenant', () => `tenants/${foreign.tenantId}`, [], 1, false],
    ['a project, with its deployed budgets', () => `projects/${project.id}`, projectBudgets, 3, true],
    ['a project without budgets', () => `projects/${second.id}`, [], 1, false],
    ['an end user with budgets', () => userOf(project, 'alice'), userBudgets, 2, true],
    ['an end user without budgets', () => userOf(project, 'bob'), [], 1, false],
    ['the same end user of another project', () => userOf(second, 'alice'), [], 1, false],
    ['an end user who asked nothing', () => userOf(project, 'nobody'), [], 0, false],
  ] as const)('%s', async ([, path, budgets, answers, hasEarlier]) => {
    const before = new Date()
    const { spent_usd, period_ends, ...rest } = await read(path())
    expect(rest).toEqual({ budgets })
    expect(spent_usd).toEqual(spent(answers, hasEarlier))
    const [year, month, day] = [before.getUTCFullYear(), before.getUTCMonth(), before.getUTCDate()]
    expect(period_ends).toEqual({
      day: new Date(Date.UTC(year, month, day + 1)).toISOString(),
      month: new Date(Date.UTC(year, month + 1)).toISOString(),
    })
  })

  test('a change returns what was spent, too, and a viewer reads without changing', async () => {
    const { harness } = stage
    const viewer = await harness.makePerson({ tenantId: project.tenantId, role: 'viewer' })
    const member = await harness.makePerson({ tenantId: project.tenantId, role: 'member' })
    const stranger = await harness.makePerson()
    const body = { budgets: [{ usd: 60, period: 'month' }] }
    for (const [path, answers] of [
      [`tenants/${project.tenantId}`, 4],
      [userOf(project, 'alice'), 2],
    ] as const) {
      const call = (method: string, { session }: { session: string }) =>
        harness.call(method, `/auth/v1/${path}/budgets`, { session, ...(method === 'PUT' && { body }) })
      expect((await call('PUT', viewer)).status).toBe(403)
      expect((await call('GET', stranger)).status).toBe(403)
      const changed = await call('PUT', member)
      expect(changed.body).toMatchObject({ ...body, spent_usd: spent(answers, true) })
      expect((await call('GET', viewer)).body).toEqual(changed.body)
    }
    const path = `/auth/v1/projects/${project.id}/budgets`
    expect((await harness.call('GET', path, { session: viewer.session })).status).toBe(200)
    expect((await harness.call('GET', path, { session: stranger.session })).status).toBe(403)
  })

  test('an answer counts as soon as it has ended', async () => {
    const { month } = (await read(`projects/${second.id}`)).spent_usd
    for (let answers = 1; answers <= 5; answers += 1) {
      expect((await second.complete(shortRequest)).status).toBe(200)
      expect((await read(`projects/${second.id}`)).spent_usd.month).toBeCloseTo(month + answers * answerUsd, 9)
    }
  })
})
