// The days of the request log in PostgreSQL: partitions by range of one table. A partition is detached without a lock
// that writers would wait for, and dropped then.

import { type Kysely, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'
import { idsOf, type RequestDays } from './request-days.ts'
import type { DayKind, RequestTables } from './request-tables.ts'

/** Replicas create a day one after another: two at once would fail. */
const advisoryLock = 7_255_414_209_914n

const suffix = /_(\d{4})(\d{2})(\d{2})$/

export function postgresDays(database: Kysely<Schema>, { tables, ofTable }: DayKind): RequestDays {
  const [first, ...others] = tables
  /** A day has digits and dashes only. */
  const nameOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`
  const sql = database.withTables<RequestTables>() as unknown as Kysely<RequestTables>
  return {
    dialect: 'postgres',
    async list() {
      const { rows } = await text<{ name: string }>`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass(${first}) order by c.relname desc`.execute(sql)
      return rows.flatMap(({ name }) => {
        const [, year, month, day] = suffix.exec(name) ?? []
        return year === undefined ? [] : [`${year}-${month}-${day}`]
      })
    },
    async create(day) {
      const [from, to] = idsOf(day)
      await sql.transaction().execute(async trx => {
        await text`select pg_advisory_xact_lock(${text.lit(advisoryLock)})`.execute(trx)
        for (const statement of ofTable) await text.raw(statement).execute(trx)
        const bounds = `from ('${from}') to ('${to}')`
        for (const table of tables) {
          const name = nameOf(table, day)
          await text.raw(`create table if not exists ${name} partition of ${table} for values ${bounds}`).execute(trx)
        }
      })
    },
    of: () => sql,
    async drop(day) {
      // The one that says which days there are comes last, so that a drop that was cut short is done again.
      for (const table of [...others, first]) await dropPartition(sql, table, nameOf(table, day))
    },
    close: () => Promise.resolve(),
  }
}

/** Also one that is detached already. Outside a transaction, as PostgreSQL requires it. */
async function dropPartition(sql: Kysely<RequestTables>, table: string, name: string): Promise<void> {
  const { rows } = await text<{ is_pending: boolean }>`
    select inhdetachpending as is_pending from pg_inherits where inhrelid = to_regclass(${name})`.execute(sql)
  const how = rows[0]?.is_pending === true ? 'finalize' : 'concurrently'
  if (rows.length > 0) await text.raw(`alter table ${table} detach partition ${name} ${how}`).execute(sql)
  await text.raw(`drop table if exists ${name}`).execute(sql)
}
