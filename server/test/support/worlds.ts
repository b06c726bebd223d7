// Where a product of the tests keeps its data: a folder, or a database and a store on PostgreSQL and Redis. Imports no
// source file.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
// Declares what `inject` gives, for packages that check these types without the set-up.
import type {} from './global-setup.ts'
import { createDatabase, type TestServer } from './postgres.ts'
import { startRedis } from './redis.ts'
import { deleteWithThisProcess } from './server-process.ts'

export type Backend = 'sqlite' | 'postgres'

/** What a client of the product's Redis needs to read its keys. */
export interface StoreAddress {
  url: string
  keyPrefix: string
}

export interface World {
  env: Record<string, string>
  /** Null on SQLite, where the store is in the process. */
  store: StoreAddress | null
  /** The Redis behind `store` if no other product uses it: it may be killed. */
  redis: TestServer | null
  /** The folder with the database on SQLite, null on PostgreSQL. */
  dataDir: string | null
  /** Queries the database directly. Placeholders are `?` on both backends. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly (string | number)[]): Promise<Row[]>
  end(): Promise<void>
}

/** With `own`, a Redis that no other product uses. */
export function makeWorld(backend: Backend, { own }: { own: boolean }): Promise<World> {
  return backend === 'sqlite' ? makeEmbedded() : makeDistributed(own)
}

const embeddedFile = 'sallyport.db'
const sqliteBusy = 5

/** Makes a data folder whose database has this version's schema and no rows. */
export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-migrated-'))
  copyFileSync(join(inject('migratedFolder'), embeddedFile), join(folder, embeddedFile))
  return folder
}

async function makeEmbedded(): Promise<World> {
  const dataDir = makeDataFolder()
  const deleteFolder = deleteWithThisProcess(dataDir)
  return {
    env: { DATA_DIR: dataDir },
    store: null,
    redis: null,
    dataDir,
    async query<Row>(text: string, values: readonly (string | number)[] = []) {
      return await whenUnlocked(() => queryFile(join(dataDir, embeddedFile), text, values) as Row[])
    },
    async end() {
      deleteFolder()
    },
  }
}

function queryFile(path: string, text: string, values: readonly (string | number)[]): unknown[] {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(text).all(...values)
  } finally {
    database.close()
  }
}

/** Waits without holding the process: a product in it may have the lock, and needs the loop to give it back. */
async function whenUnlocked<Result>(action: () => Result): Promise<Result> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      return action()
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error
      await sleep(5)
    }
  }
}

const isLocked = (error: unknown): boolean => (error as { errcode?: number }).errcode === sqliteBusy

let signingKeyPem: string | undefined

async function makeDistributed(own: boolean): Promise<World> {
  const [databaseUrl, redis] = await Promise.all([
    createDatabase(inject('postgresUrl')),
    own ? startRedis() : Promise.resolve(null),
  ])
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  const store =
    redis === null
      ? { url: inject('redisUrl'), keyPrefix: `world-${randomBytes(8).toString('hex')}:` }
      : { url: redis.url, keyPrefix: 'sallyport:' }
  signingKeyPem ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return {
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: store.url,
      REDIS_PREFIX: store.keyPrefix,
      JWT_PRIVATE_KEY: signingKeyPem,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    },
    store,
    redis,
    dataDir: null,
    async query<Row>(text: string, values: readonly (string | number)[] = []) {
      let position = 0
      const numbered = text.replaceAll('?', () => `$${++position}`)
      return (await pool.query(numbered, [...values])).rows as Row[]
    },
    async end() {
      await pool.end()
      await redis?.stop()
    },
  }
}
