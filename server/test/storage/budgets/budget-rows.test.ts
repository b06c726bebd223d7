// Tests the rows of budgets on both databases: a change concerns one owner, is noticed by its revision, and end users
// with budgets of their own are bounded.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import type { Budget } from '../../../src/domain/budgets/budget.ts'
import {
  budgetsRevision,
  getEndUserBudgets,
  getTenantBudgets,
  putEndUserBudgets,
  putTenantBudgets,
  readAllBudgets,
} from '../../../src/storage/budgets/budget-rows.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openDistributed, openMigrated } from '../fixtures.ts'

const maxUsers = 10_000
const day = (usd: number): Budget[] => [{ usd, period: 'day' }]

async function openRows(backend: string) {
  const isEmbedded = backend === 'sqlite'
  const { sql } = isEmbedded ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const tenants = [randomUUID(), randomUUID()] as const
  const projects = [randomUUID(), randomUUID()] as const
  for (const [at, id] of tenants.entries()) {
    const tenant = { id, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
    await sql.insertInto('tenants').values(tenant).execute()
    const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
    const project = { id: projects[at] ?? '', tenant_id: id, name: 'Project', slug: `amber-falcon-${at}` }
    await sql
      .insertInto('projects')
      .values({ ...project, ...dns, status: 'active', created_at: 1 })
      .execute()
  }
  const revision = async () => {
    const row = await sql
      .selectFrom('revisions')
      .select('revision')
      .where('name', '=', budgetsRevision)
      .executeTakeFirst()
    return Number(row?.revision ?? 0)
  }
  return { sql, tenants, projects, revision }
}

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  test('a change concerns one tenant, and one end user of one project', async () => {
    const { sql, tenants, projects } = await openRows(backend)
    for (const [at, id] of tenants.entries()) await putTenantBudgets(sql, id, day(at + 1), 5)
    const users = projects.flatMap(projectId => ['alice', 'bob'].map(userId => ({ projectId, userId })))
    for (const [at, user] of users.entries()) await putEndUserBudgets(sql, user, day(at + 10), 5)
    const seen = async () => [
      ...(await Promise.all(tenants.map(id => getTenantBudgets(sql, id)))),
      ...(await Promise.all(users.map(user => getEndUserBudgets(sql, user)))),
    ]
    expect(await seen()).toEqual([1, 2, 10, 11, 12, 13].map(day))
    await putTenantBudgets(sql, tenants[0], [], 6)
    await putTenantBudgets(sql, tenants[1], day(3), 6)
    const [first, second] = users
    if (first === undefined || second === undefined) throw new Error('there are users')
    await putEndUserBudgets(sql, first, day(20), 6)
    await putEndUserBudgets(sql, second, [], 6)
    expect(await seen()).toEqual([[], ...[3, 20].map(day), [], ...[12, 13].map(day)])
    const all = await readAllBudgets(sql)
    expect([...all.tenants]).toEqual([[tenants[1], day(3)]])
    expect(all.endUsers.get(projects[0])).toEqual(new Map([['alice', day(20)]]))
    expect(all.endUsers.get(projects[1])).toEqual(
      new Map([
        ['alice', day(12)],
        ['bob', day(13)],
      ]),
    )
  })

  test('each change raises the revision', async () => {
    const { sql, tenants, projects, revision } = await openRows(backend)
    const user = { projectId: projects[0], userId: 'alice' }
    const seen = [await revision()]
    for (const budgets of [day(1), day(2), []]) {
      await putTenantBudgets(sql, tenants[0], budgets, 5)
      seen.push(await revision())
      await putEndUserBudgets(sql, user, budgets, 5)
      seen.push(await revision())
    }
    expect(seen).toEqual(seen.map((_, at) => (seen[0] ?? 0) + at))
  })

  test('end users of a project with budgets of their own are bounded', async () => {
    const { sql, projects } = await openRows(backend)
    const [projectId, other] = projects
    const rowsFrom = (start: number) =>
      Array.from({ length: 1_000 }, (_, at) => {
        return { project_id: projectId, user_id: `user-${start + at}`, budgets: '[]', updated_at: 1 }
      })
    for (let start = 0; start < maxUsers; start += 1_000) {
      await sql.insertInto('end_user_budgets').values(rowsFrom(start)).execute()
    }
    await expect(putEndUserBudgets(sql, { projectId, userId: 'one-more' }, day(1), 5)).rejects.toMatchObject({
      code: 'too_many_user_budgets',
    })
    expect(await getEndUserBudgets(sql, { projectId, userId: 'one-more' })).toEqual([])
    // A change of one that is there is none more, and others are not concerned.
    await putEndUserBudgets(sql, { projectId, userId: 'user-7' }, day(1), 5)
    await putEndUserBudgets(sql, { projectId: other, userId: 'one-more' }, day(1), 5)
    await putEndUserBudgets(sql, { projectId, userId: 'user-8' }, [], 5)
    await putEndUserBudgets(sql, { projectId, userId: 'one-more' }, day(2), 5)
    expect(await getEndUserBudgets(sql, { projectId, userId: 'one-more' })).toEqual(day(2))
  })
})
