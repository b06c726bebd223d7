// What every database under the product must do, whichever it is: run by sqlite.test.ts and postgres.test.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Insertable, type Kysely, sql as text } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { sumOf } from '../../src/storage/bounded-sums.ts'
import { isUniqueViolation } from '../../src/storage/database-errors.ts'
import { releaseLeases, takeLeases } from '../../src/storage/leases.ts'
import type { Database } from '../../src/storage/open-database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { executeTogether, transact } from '../../src/storage/transact.ts'
import { sampleRows } from './fixtures.ts'

export function describeStorage(open: () => Promise<Database>): void {
  let database: Database
  let sql: Kysely<Schema>
  beforeEach(async () => {
    database = await open()
    sql = database.sql
  })

  const tables = Object.keys(sampleRows) as (keyof Schema)[]

  async function insertSamples(): Promise<void> {
    for (const table of tables) await sql.insertInto(table).values(sampleRows[table]).execute()
  }

  function tenantRow(id: string): Insertable<Schema['tenants']> {
    return { id, name: id, plan: 'free', provider_keys_revision: 0, created_at: 1, deleted_at: null }
  }

  async function caught(action: Promise<unknown>): Promise<unknown> {
    return action.then(
      () => expect.fail('nothing was thrown'),
      (error: unknown) => error,
    )
  }

  describe('tables', () => {
    it('answers a ping', async () => {
      await expect(database.ping()).resolves.toBeUndefined()
    })

    it('gives every row of every table back as it was', async () => {
      await insertSamples()
      for (const table of tables) {
        const rows = await sql.selectFrom(table).selectAll().execute()
        expect(rows, table).toHaveLength(2)
        for (const row of sampleRows[table]) expect(rows, table).toContainEqual(row)
      }
    })

    it('has exactly the tables and columns of the schema, null only where a sample row has it', async () => {
      const found = await sql.introspection.getTables()
      const ours = found.filter(table => table.name !== 'schema_migrations')
      expect(ours.map(table => table.name).sort()).toEqual([...tables].sort())
      for (const table of ours) {
        const [full, sparse] = sampleRows[table.name as keyof Schema]
        expect(table.columns.map(column => column.name).sort(), table.name).toEqual(Object.keys(full).sort())
        for (const column of table.columns) {
          const isNull = (sparse as unknown as Record<string, unknown>)[column.name] === null
          expect(column.isNullable, `${table.name}.${column.name}`).toBe(isNull)
        }
      }
    })

    it('counts and sums to numbers, and to null over nothing', async () => {
      const time = 1_790_000_000_000
      await sql
        .insertInto('leases')
        .values([1, 2].map(n => ({ name: `${n}`, holder: '', expires_at: time })))
        .execute()
      const totals = await sql
        .selectFrom('leases')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number>('expires_at').as('sum')])
        .executeTakeFirstOrThrow()
      expect(totals).toEqual({ count: 2, sum: 2 * time })
      const nothing = await sql
        .selectFrom('users')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('created_at').as('sum')])
        .executeTakeFirstOrThrow()
      expect(nothing).toEqual({ count: 0, sum: null })
    })

    it('reads a sum of any size as the nearest number, and refuses a value that a number cannot hold exactly', async () => {
      const max = Number.MAX_SAFE_INTEGER
      const values = Array.from({ length: 1_100 }, (_none, n) => ({ name: `${n}`, revision: max }))
      await sql.insertInto('revisions').values(values).execute()
      const all = sql.selectFrom('revisions')
      const few = await all.select(sumOf('revision').as('sum')).where('name', 'in', ['1', '2']).execute()
      expect(few).toEqual([{ sum: 2 * max }])
      // More than 2^63, the greatest whole number of both databases.
      const [row] = await all.select([sumOf('revision').as('sum'), sumOf(text`0`).as('none')]).execute()
      expect(row).toEqual({ sum: expect.closeTo(1_100 * max, -5), none: 0 })
      const nothing = await all.select(sumOf('revision').as('sum')).where('name', '=', '').execute()
      expect(nothing).toEqual([{ sum: null }])
      const value = all.select(text<number>`revision + 2`.as('more')).execute()
      await expect(value).rejects.toBeInstanceOf(RangeError)
    })

    it('orders text by its bytes', async () => {
      const names = ['a', 'B', 'Z', 'z', 'é', 'e', '_', '-', '1', '10', '2', '\u{1F600}', '\uFFFD', 'ab', 'a b', 'a-b']
      await sql
        .insertInto('revisions')
        .values(names.map(name => ({ name, revision: 1 })))
        .execute()
      const rows = await sql.selectFrom('revisions').select('name').orderBy('name').execute()
      const bytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(rows.map(row => row.name)).toEqual(bytes)
      const after = await sql.selectFrom('revisions').select('name').where('name', '>', 'é').orderBy('name').execute()
      expect(after.map(row => row.name)).toEqual(bytes.slice(bytes.indexOf('é') + 1))
    })

    it('tells upper from lower case', async () => {
      await sql
        .insertInto('revisions')
        .values([
          { name: 'a', revision: 1 },
          { name: 'A', revision: 2 },
        ])
        .execute()
      const row = await sql.selectFrom('revisions').select('revision').where('name', '=', 'A').executeTakeFirst()
      expect(row).toEqual({ revision: 2 })
    })

    it('refuses text with NUL, in values and in conditions, and keeps working', async () => {
      const insert = sql.insertInto('revisions').values({ name: 'a\0b', revision: 1 }).execute()
      const refused = { code: 'validation_failed', message: 'Text must not contain NUL characters' }
      await expect(insert).rejects.toMatchObject(refused)
      const select = sql.selectFrom('revisions').selectAll().where('name', '=', '\0').execute()
      await expect(select).rejects.toMatchObject(refused)
      await expect(sql.selectFrom('revisions').selectAll().execute()).resolves.toEqual([])
    })

    it('refuses text in a column of numbers', async () => {
      const row = { name: 'a', revision: 'many' as unknown as number }
      await expect(sql.insertInto('revisions').values(row).execute()).rejects.toThrow()
    })
  })

  describe('constraints', () => {
    it('knows a unique violation, of a primary key and of another column, from other faults', async () => {
      await insertSamples()
      const twins = [
        sql
          .insertInto('users')
          .values({ ...sampleRows.users[0], id: 'other' })
          .execute(),
        sql
          .insertInto('users')
          .values({ ...sampleRows.users[0], email: 'other' })
          .execute(),
        sql
          .insertInto('tiers')
          .values({ ...sampleRows.tiers[0], id: 'other' })
          .execute(),
        sql.insertInto('deployments').values(sampleRows.deployments[0]).execute(),
        sql
          .insertInto('provider_keys')
          .values({ ...sampleRows.provider_keys[0], id: 'other' })
          .execute(),
        sql
          .insertInto('projects')
          .values({ ...sampleRows.projects[0], id: 'other' })
          .execute(),
        sql.insertInto('idempotency_keys').values(sampleRows.idempotency_keys[0]).execute(),
      ]
      const faults = await Promise.all(twins.map(caught))
      expect(faults.map(isUniqueViolation)).toEqual(twins.map(() => true))
      const orphan = sql
        .insertInto('tiers')
        .values({ ...sampleRows.tiers[0], id: 'o', project_id: 'none' })
        .execute()
      const orphaned = await caught(orphan)
      expect(isUniqueViolation(orphaned)).toBe(false)
      expect(orphaned).not.toMatchObject({ code: 'database_unavailable' })
    })

    it('keeps rows that others refer to, and flags to 0 and 1', async () => {
      await insertSamples()
      await expect(sql.deleteFrom('projects').execute()).rejects.toThrow()
      await expect(
        sql
          .updateTable('providers')
          .set({ is_active: 2 as 1 })
          .execute(),
      ).rejects.toThrow()
      await sql.deleteFrom('users').where('id', '=', 'u1').execute()
      const sessions = await sql.selectFrom('sessions').select('user_id').execute()
      expect(sessions).toEqual([{ user_id: 'u2' }])
    })
  })

  describe('transactions', () => {
    it('commits what its body did and gives its result back', async () => {
      const result = await transact(sql, async trx => {
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
        return 'done'
      })
      expect(result).toBe('done')
      await expect(sql.selectFrom('tenants').select('id').execute()).resolves.toEqual([{ id: 'a' }])
    })

    it('rolls back all of it when the body throws, and passes the error on', async () => {
      const fault = new Error('changed my mind')
      const attempt = transact(sql, async trx => {
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
        throw fault
      })
      await expect(attempt).rejects.toBe(fault)
      await expect(sql.selectFrom('tenants').selectAll().execute()).resolves.toEqual([])
    })

    it('rolls back all of it when a statement fails', async () => {
      const attempt = transact(sql, async trx => {
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
      })
      expect(isUniqueViolation(await caught(attempt))).toBe(true)
      await expect(sql.selectFrom('tenants').selectAll().execute()).resolves.toEqual([])
    })

    it('does no more in a transaction whose statement failed', async () => {
      const outcomes: string[] = []
      const attempt = transact(sql, async trx => {
        for (const id of ['a', 'a', 'b']) {
          const [{ status }] = await Promise.allSettled([trx.insertInto('tenants').values(tenantRow(id)).execute()])
          outcomes.push(status)
        }
      })
      await expect(attempt).rejects.toThrow()
      expect(outcomes).toEqual(['fulfilled', 'rejected', 'rejected'])
      await expect(sql.selectFrom('tenants').selectAll().execute()).resolves.toEqual([])
    })

    it('runs statements that are sent together in their order, and rolls back all if one fails', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map(id => sql.insertInto('tenants').values(tenantRow(id)).compile())
      const all = sql.selectFrom('tenants').select('id').orderBy('id').compile()
      const results = await transact(sql, trx => executeTogether(trx, [a!, all, b!, all]))
      expect(results.map(({ rows }) => rows)).toEqual([[], [{ id: 'a' }], [], [{ id: 'a' }, { id: 'b' }]])
      expect(results[0]?.numAffectedRows).toBe(1n)
      const attempt = transact(sql, trx => executeTogether(trx, [c!, a!, all]))
      expect(isUniqueViolation(await caught(attempt))).toBe(true)
      await expect(sql.selectFrom('tenants').select('id').orderBy('id').execute()).resolves.toHaveLength(2)
    })

    it('shows nobody what is not committed', async () => {
      let seen: Promise<unknown[]> | undefined
      const start = (): void => {
        seen = sql.selectFrom('tenants').selectAll().execute()
      }
      const trigger = new Promise<void>(resolve => setTimeout(() => resolve(start()), 30))
      await transact(sql, async trx => {
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
        await sleep(80)
        await trx.deleteFrom('tenants').execute()
      })
      await trigger
      await expect(seen).resolves.toEqual([])
    })

    it('lets exactly three of fifty through where the parent row is the lock', async () => {
      await sql.insertInto('tenants').values(tenantRow('t1')).execute()
      await sql.insertInto('projects').values(sampleRows.projects[0]).execute()
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => addTier(`tier ${index}`)))
      expect(outcomes.filter(Boolean)).toHaveLength(3)
      await expect(sql.selectFrom('tiers').selectAll().execute()).resolves.toHaveLength(3)
    })

    async function addTier(name: string): Promise<boolean> {
      return transact(sql, async trx => {
        await trx.updateTable('projects').set({ name: 'locked' }).where('id', '=', 'p1').execute()
        const tiers = await trx.selectFrom('tiers').select('id').where('project_id', '=', 'p1').execute()
        if (tiers.length >= 3) return false
        await trx
          .insertInto('tiers')
          .values({ ...sampleRows.tiers[0], id: name, name })
          .execute()
        return true
      })
    }

    it('refuses a query past the handle of the transaction instead of waiting for ever', async () => {
      const attempt = transact(sql, async () => sql.selectFrom('tenants').selectAll().execute())
      await expect(attempt).rejects.toThrow('only its own handle')
      await expect(transact(sql, async () => transact(sql, async () => 1))).rejects.toThrow('only its own handle')
      await expect(sql.selectFrom('tenants').selectAll().execute()).resolves.toEqual([])
    })

    it('lets what was started inside go on with the outer handle once the transaction is over', async () => {
      let later: Promise<unknown[]> | undefined
      await transact(sql, async () => {
        later = sleep(50).then(() => sql.selectFrom('tenants').selectAll().execute())
      })
      await expect(later).resolves.toEqual([])
    })

    it('waits for a running transaction when it is closed', async () => {
      const running = transact(sql, async trx => {
        await sleep(50)
        await trx.insertInto('tenants').values(tenantRow('a')).execute()
        return 'done'
      })
      await sleep(10)
      await Promise.all([database.close(), database.close()])
      await expect(running).resolves.toBe('done')
    })
  })

  describe('leases', () => {
    const take = (holder: string, names: string[], time: number) =>
      takeLeases(sql, { names, holder, forMs: 500, now: () => time })

    it('gives each job to one of many at a time', async () => {
      const names = ['sync', 'erase', 'sweep']
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          take(`copy ${index}`, index % 2 === 0 ? names : names.toReversed(), 1000),
        ),
      )
      expect(taken.flat().toSorted()).toEqual(names.toSorted())
      await expect(take('copy 1', ['other'], 1000)).resolves.toEqual(['other'])
    })

    it('takes what is free and renews its own in one statement', async () => {
      await expect(take('a', ['sync'], 1000)).resolves.toEqual(['sync'])
      await expect(take('b', ['erase'], 1000)).resolves.toEqual(['erase'])
      expect((await take('a', ['erase', 'sweep', 'sync'], 1400)).toSorted()).toEqual(['sweep', 'sync'])
      await expect(take('b', ['sync', 'erase'], 1499)).resolves.toEqual(['erase'])
    })

    it('is kept by its holder, ends with its time, and is free after a release', async () => {
      await expect(take('a', ['sync'], 1000)).resolves.toEqual(['sync'])
      await expect(take('a', ['sync'], 1400)).resolves.toEqual(['sync'])
      await expect(take('b', ['sync'], 1899)).resolves.toEqual([])
      await expect(take('b', ['sync'], 1900)).resolves.toEqual(['sync'])
      await releaseLeases(sql, ['sync'], 'a')
      await expect(take('a', ['sync'], 1900)).resolves.toEqual([])
      await releaseLeases(sql, ['sync'], 'b')
      await expect(take('a', ['sync'], 1900)).resolves.toEqual(['sync'])
    })
  })

  it('keeps a statement with thousands of parameters', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({ name: `n${index}`, revision: index }))
    await sql.insertInto('revisions').values(rows).execute()
    const { count } = await text<{ count: number }>`select count(*) as count from revisions`
      .execute(sql)
      .then(result => result.rows[0] ?? { count: -1 })
    expect(count).toBe(1000)
  })
}
