// Builds what is older than its sources, since the tests start the product from its build. Then starts one PostgreSQL
// and one Redis for the whole run, and stops them after all tests. The address of a server that is not installed is
// empty; `server/test/run.ts` skips the tests that need it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createLog } from '../../src/log/log.ts'
import { type DatabaseOptions, openDatabase } from '../../src/storage/open-database.ts'
import { createTemplate, findPostgres, startPostgres } from './postgres.ts'
import { findRedis, startRedis } from './redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    redisUrl: string
    /** A data folder whose database is this version's and has no rows. */
    migratedFolder: string
    /** Whether this run uses the full counts instead of the short ones. */
    prove: boolean
  }
}

const build = join(import.meta.dirname, '../../build/ensure-built.js')

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // A process of its own: the environment of the tests would choose React's development build.
  execFileSync(process.execPath, [build], { env: { PATH: process.env.PATH }, stdio: 'inherit' })
  const [postgres, redis] = await Promise.all([
    findPostgres() === null ? null : startPostgres(),
    findRedis() === null ? null : startRedis(),
  ])
  const migratedFolder = mkdtempSync(join(tmpdir(), 'sallyport-migrated-'))
  await migrate({ databaseUrl: null, dataDir: migratedFolder })
  if (postgres !== null) await createTemplate(postgres.url, databaseUrl => migrate({ databaseUrl, dataDir: '' }))
  project.provide('migratedFolder', migratedFolder)
  project.provide('postgresUrl', postgres?.url ?? '')
  project.provide('redisUrl', redis?.url ?? '')
  project.provide('prove', process.env.PROVE === '1')
  return async () => {
    await Promise.all([postgres?.stop(), redis?.stop()])
    rmSync(migratedFolder, { recursive: true, force: true })
  }
}

async function migrate(place: Pick<DatabaseOptions, 'databaseUrl' | 'dataDir'>): Promise<void> {
  const database = await openDatabase({ ...place, log: createLog({ level: 'warn' }), now: Date.now })
  await database.close()
}
