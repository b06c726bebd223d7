// Migrates a database to this version's schema: forward only, one transaction per step, and each step exactly
// once, even if several replicas start together. The steps are in migrations/.
import { createHash } from 'node:crypto'
import { type Kysely, type Transaction, sql as text } from 'kysely'
import type { Log } from '../domain/log.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import type { Schema } from './schema.ts'

export type Dialect = 'sqlite' | 'postgres'

export interface Migration {
  name: string
  /**
   * SQL for both databases, with TEXT, INT64 and FLOAT64 in place of the types whose names differ. CLUSTERED after a
   * table keeps its rows in the order of the primary key where the database can: in SQLite.
   */
  statements: readonly string[]
  /**
   * After them, in PostgreSQL alone, which has the tables of the request log. Those may not exist yet. SQLite has them
   * in files of their own: see request-log/file-upgrades.ts.
   */
  ofRequestLog?: readonly string[]
}

type AppliedTable = {
  schema_migrations: { name: string; checksum: string; applied_at: number }
}

type Applied = AppliedTable['schema_migrations']

interface Target {
  sql: Kysely<Schema>
  dialect: Dialect
  now: () => number
  log: Log
}

/** Any number that no other user of the same PostgreSQL database is likely to lock. */
const advisoryLock = 7_255_414_209_913n

export async function migrate(target: Target, migrations: readonly Migration[]): Promise<void> {
  while (await applyNext(target, migrations)) {
    // One step a transaction, and the list is read again each time: another replica may have been faster.
  }
}

/** Throws for a database that this version must not touch; returns the missing steps. */
export function findPending(
  applied: readonly Pick<Applied, 'name' | 'checksum'>[],
  migrations: readonly Migration[],
  dialect: Dialect,
): Migration[] {
  applied.forEach((step, index) => {
    const known = migrations[index]
    if (known === undefined) {
      throw new StartupProblem(
        `The database schema is newer than this version: it has ${step.name}, which this version does not know. ` +
          'Start the newer version, or restore a backup.',
      )
    }
    if (known.name !== step.name || checksum(known, dialect) !== step.checksum) {
      throw new StartupProblem(
        `The database schema was created by another build: ${step.name} differs from the migration that was applied. ` +
          'Start the build that created it, or restore a backup.',
      )
    }
  })
  return migrations.slice(applied.length)
}

async function applyNext(target: Target, migrations: readonly Migration[]): Promise<boolean> {
  const { sql, dialect, now, log } = target
  return sql
    .withTables<AppliedTable>()
    .transaction()
    .execute(async trx => {
      await lock(trx, dialect)
      const applied = await trx.selectFrom('schema_migrations').select(['name', 'checksum']).orderBy('name').execute()
      const [next] = findPending(applied, migrations, dialect)
      if (next === undefined) return false
      log.info('applying a migration', { revision: applied.length + 1 })
      for (const statement of statementsFor(next, dialect)) await text.raw(statement).execute(trx)
      await trx
        .insertInto('schema_migrations')
        .values({ name: next.name, checksum: checksum(next, dialect), applied_at: now() })
        .execute()
      return true
    })
}

/** SQLite's transactions hold the only write lock from their beginning. */
async function lock(trx: Transaction<AppliedTable>, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') {
    await text`set local lock_timeout = '5min'`.execute(trx)
    await text`select pg_advisory_xact_lock(${text.lit(advisoryLock)})`.execute(trx)
  }
  const statement = translate(
    'create table if not exists schema_migrations (name TEXT primary key, checksum TEXT not null, applied_at INT64 not null)',
    dialect,
  )
  await text.raw(statement).execute(trx)
}

function checksum(migration: Migration, dialect: Dialect): string {
  return createHash('sha256').update(statementsFor(migration, dialect).join(';\n')).digest('hex')
}

function statementsFor(migration: Migration, dialect: Dialect): string[] {
  const ofRequestLog = dialect === 'postgres' ? (migration.ofRequestLog ?? []) : []
  return [...migration.statements, ...ofRequestLog].map(statement => translate(statement, dialect))
}

/**
 * The C collation gives PostgreSQL the byte order that SQLite has; STRICT gives SQLite the types that PostgreSQL has.
 */
function translate(statement: string, dialect: Dialect): string {
  if (dialect === 'postgres') {
    return statement
      .replace(/\bTEXT\b/g, 'text collate "C"')
      .replace(/\bINT64\b/g, 'bigint')
      .replace(/\bFLOAT64\b/g, 'double precision')
      .replace(/ CLUSTERED$/, '')
  }
  const end = statement.startsWith('create table') ? ' strict' : ''
  const translated = statement.replace(/\bINT64\b/g, 'integer').replace(/\bFLOAT64\b/g, 'real')
  return translated.replace(/ CLUSTERED$/, ' without rowid,') + end
}
