// How the schema comes to this version, on either database: run by the two migration tests.
import { sql as text } from 'kysely'
import { expect, it } from 'vitest'
import { StartupProblem } from '../../src/domain/startup-problem.ts'
import { buildEntries } from '../../src/storage/late-index/build.ts'
import { usageIndex } from '../../src/storage/late-index/late-index.ts'
import type { Migration } from '../../src/storage/migrate.ts'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import type { Database, DatabaseOptions } from '../../src/storage/open-database.ts'
import { projectTables } from '../../src/storage/owned/owned-tables.ts'
import { readRows } from '../../src/storage/owned/read-rows.ts'
import { slowMigrations } from './child.ts'
import { keepLog, sampleRows } from './fixtures.ts'
import { startChild, waitForLine } from './processes.ts'

type Open = (more?: Partial<DatabaseOptions>) => Promise<Database>

/** `place` makes a new, empty database: what a child is told, and how it is opened here. */
export function describeMigrations(place: () => Promise<{ address: string; open: Open }>, rounds: () => number): void {
  const rename: Migration = {
    name: '9999-later',
    statements: ['create table later (id TEXT primary key)', "insert into later (id) values ('made later')"],
  }

  async function problem(action: Promise<unknown>): Promise<string> {
    const error: unknown = await action.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(StartupProblem)
    return (error as StartupProblem).message
  }

  /** A row of an older version, which lacks columns of the schema. */
  async function insertInto({ sql }: Database, table: string, row: object): Promise<void> {
    const columns = text.join(Object.keys(row).map(name => text.ref(name)))
    await text`insert into ${text.table(table)} (${columns}) values (${text.join(Object.values(row))})`.execute(sql)
  }

  async function namesIn(database: Database): Promise<string[]> {
    const { rows } = await text<{ name: string }>`select name from schema_migrations order by name`.execute(
      database.sql,
    )
    return rows.map(row => row.name)
  }

  it('applies every step once, and none again', async () => {
    const { open } = await place()
    const database = await open()
    expect(await namesIn(database)).toEqual(allMigrations.map(step => step.name))
    await database.close()
    const log = keepLog()
    await open({ log })
    expect(log.lines).not.toContain('applying a migration')
  })

  it('brings an older schema up and keeps its rows', async () => {
    const { open } = await place()
    const old = await open()
    await old.sql.insertInto('revisions').values({ name: 'kept', revision: 1 }).execute()
    await old.close()
    const { sql } = await open({ migrations: [...allMigrations, rename] })
    const { rows } = await text`select id from later`.execute(sql)
    expect(rows).toEqual([{ id: 'made later' }])
    await expect(sql.selectFrom('revisions').select('name').execute()).resolves.toEqual([{ name: 'kept' }])
  })

  it('lists the end users that threads and rows of usage name, and no service', async () => {
    const { open } = await place()
    const old = await open({ migrations: allMigrations.filter(({ name }) => name < '0014') })
    const [{ tier: _tier, endpoint: _endpoint, budget_day: _day, ...latest }] = sampleRows.usage_records
    const { platform_day: _platformDay, platform_nanousd: _platformCost, ...row } = latest
    const usage = (user_id: string, created_at: number) => ({
      ...row,
      request_id: `${user_id} ${created_at}`,
      user_id,
      created_at,
    })
    const rows = [usage('alice', 20), usage('alice', 10), usage('svc:playground', 10)]
    for (const added of rows) await insertInto(old, 'usage_records', added)
    await old.close()
    const { sql } = await open()
    expect(await sql.selectFrom('end_users').selectAll().execute()).toEqual([
      { project_id: row.project_id, user_id: 'alice', first_seen_at: 10, last_seen_at: 20 },
    ])
    // The same column default serves replicas of the version before, which do not name the column.
    const endpoints = await sql.selectFrom('usage_records').select('endpoint').execute()
    expect(endpoints).toEqual(rows.map(() => ({ endpoint: 'chat_completions' })))
  })

  it('finds usage rows of an older version by project, before and after their entries are built', async () => {
    const { open } = await place()
    const old = await open({ migrations: allMigrations.filter(({ name }) => name < '0029') })
    const [{ platform_day: _day, platform_nanousd: _cost, ...row }] = sampleRows.usage_records
    for (const request_id of ['a', 'b']) await insertInto(old, 'usage_records', { ...row, request_id })
    await old.close()
    const { sql } = await open()
    const usage = projectTables.find(({ name }) => name === 'usage_records')!
    const found = async () => {
      const ids: unknown[] = []
      for await (const rows of readRows(sql, usage, row.project_id)) ids.push(...rows.map(each => each['request_id']))
      return ids
    }
    expect(await found()).toEqual(['a', 'b'])
    expect(await buildEntries(sql, usageIndex, row.created_at, 10)).toBe(false)
    expect(await sql.selectFrom('usage_records_by_project').selectAll().execute()).toHaveLength(2)
    expect(await found()).toEqual(['a', 'b'])
  })

  it('keeps the order of tiers as it becomes any finite number', async () => {
    const { open } = await place()
    const old = await open({ migrations: allMigrations.filter(({ name }) => name < '0008') })
    const made = { created_at: 1, provider_keys_revision: 0 }
    await old.sql
      .insertInto('tenants')
      .values({ id: 't', name: 'T', plan: 'free', ...made })
      .execute()
    const project = { id: 'p', tenant_id: 't', name: 'P', slug: 'p', status: 'active', dns_status: 'READY' } as const
    const dns = { dns_last_error: null, dns_updated_at: null, created_at: 1 }
    await old.sql
      .insertInto('projects')
      .values({ ...project, ...dns })
      .execute()
    const common = { project_id: 'p', overrides: '{}', created_at: 1, updated_at: 1 }
    for (const sort_order of [-7, 0, 1_000_000]) {
      const id = String(sort_order)
      await old.sql
        .insertInto('tiers')
        .values({ ...common, id, name: id, sort_order })
        .execute()
    }
    await old.close()
    const { sql } = await open()
    const orders = async () =>
      (await sql.selectFrom('tiers').select('sort_order').orderBy('sort_order').execute()).map(row => row.sort_order)
    expect(await orders()).toEqual([-7, 0, 1_000_000])
    await sql.updateTable('tiers').set({ sort_order: 0.25 }).where('sort_order', '=', 0).execute()
    expect(await orders()).toEqual([-7, 0.25, 1_000_000])
  })

  it('keeps the settings of every project as the column for added fields comes', async () => {
    const { open } = await place()
    const old = await open({ migrations: allMigrations.filter(({ name }) => name < '0009') })
    const [{ deleted_at: _ofTenants, require_second_factor: _rule, ...tenant }] = sampleRows.tenants
    const [{ deleted_at: _ofProjects, managed_by: _manager, ...project }] = sampleRows.projects
    const [{ added_settings: _, ...settings }] = sampleRows.settings
    await old.sql.insertInto('tenants').values(tenant).execute()
    await old.sql.insertInto('projects').values(project).execute()
    await insertInto(old, 'settings', settings)
    await old.close()
    const { sql } = await open()
    expect(await sql.selectFrom('settings').selectAll().execute()).toEqual([{ ...settings, added_settings: '{}' }])
  })

  it('refuses a schema that is newer, in one sentence, and changes nothing', async () => {
    const { open } = await place()
    await (await open({ migrations: [...allMigrations, rename] })).close()
    expect(await problem(open())).toMatch(/^The database schema is newer than this version: it has 9999-later[^\n]+\.$/)
    const again = await open({ migrations: [...allMigrations, rename] })
    expect(await namesIn(again)).toHaveLength(allMigrations.length + 1)
  })

  it('refuses a schema whose steps are not the ones known here', async () => {
    const { open } = await place()
    const database = await open()
    await text`update schema_migrations set checksum = 'x' where name = ${allMigrations[0]?.name}`.execute(database.sql)
    await database.close()
    expect(await problem(open())).toMatch(/^The database schema was created by another build: 0001-[^\n]+\.$/)
  })

  it('refuses steps that were applied and then changed or put in between', async () => {
    const { open } = await place()
    await (await open({ migrations: [rename] })).close()
    const changed = { ...rename, statements: [...rename.statements, 'create table more (id TEXT)'] }
    expect(await problem(open({ migrations: [changed] }))).toContain(
      '9999-later differs from the migration that was applied',
    )
    const earlier = { name: '0000-earlier', statements: ['create table early (id TEXT)'] }
    expect(await problem(open({ migrations: [earlier, rename] }))).toContain('was created by another build')
  })

  it('leaves nothing of a step that fails', async () => {
    const { open } = await place()
    const broken = { name: '9999-broken', statements: ['create table half (id TEXT)', 'create table half (id TEXT)'] }
    expect(await problem(open({ migrations: [...allMigrations, broken] }))).toContain('could not be migrated')
    const database = await open()
    expect(await namesIn(database)).toEqual(allMigrations.map(step => step.name))
    await expect(text`select * from half`.execute(database.sql)).rejects.toThrow()
  })

  it('leaves each step done or not begun when it is killed in the middle', {
    timeout: rounds() * 100_000,
  }, async () => {
    const steps = slowMigrations()
    let interrupted = 0
    for (let round = 0; round < rounds(); round++) {
      const { address, open } = await place()
      const child = await startChild(['migrate-slowly', address])
      await waitForLine(child, `applying a migration ${2 + (round % 9)}`)
      await new Promise(resolve => setTimeout(resolve, Math.random() * 40))
      await child.end('SIGKILL')
      const done = await appliedSteps(open)
      if (done > 0 && done < steps.length) interrupted++
      const database = await open({ migrations: steps })
      for (const [index] of steps.entries()) {
        const table = `step_${String(index + 1).padStart(4, '0')}`
        const { rows } = await text
          .raw<{ count: number }>(`select count(*) as count from ${table}`)
          .execute(database.sql)
        expect(rows).toEqual([{ count: 15_000 }])
      }
      await database.close()
    }
    expect(interrupted).toBeGreaterThan(0)
  })

  /** How many steps the database says are done; each must have its table whole, and no other may have left anything. */
  async function appliedSteps(open: Open): Promise<number> {
    // Asks for exactly what is there, so that opening applies nothing.
    for (let count = 0; count <= slowMigrations().length; count++) {
      const database = await open({ migrations: slowMigrations().slice(0, count) }).catch(() => null)
      if (database === null) continue
      const tables = (await database.sql.introspection.getTables()).map(table => table.name)
      expect(tables.filter(name => name.startsWith('step_'))).toHaveLength(count)
      expect(await namesIn(database)).toHaveLength(count)
      await database.close()
      return count
    }
    return expect.fail('the database opens with no list of steps')
  }
}
