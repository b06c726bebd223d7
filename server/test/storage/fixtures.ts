// What the storage tests start from: temporary folders, a log that keeps its lines, one full and one sparse row a
// table.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../src/domain/log.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/storage/open-database.ts'
import { whenDone } from '../support/runner/when-done.ts'
import { makeDataFolder } from '../support/worlds.ts'
import { accountRows } from './samples/accounts.ts'
import { conversationRows } from './samples/conversations.ts'
import { factorRows } from './samples/factors.ts'
import { operationRows } from './samples/operations.ts'
import type { Rows } from './samples/rows.ts'
import { settingsRows } from './samples/settings.ts'
import { ssoRows } from './samples/single-sign-on.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-storage-'))
  whenDone(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function keepLog(): Log & { lines: string[] } {
  const lines: string[] = []
  const keep = (event: string): void => {
    lines.push(event)
  }
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}

/** Closed when the test ends. */
export async function openEmbedded(dataDir: string, more: Partial<DatabaseOptions> = {}): Promise<Database> {
  return closeAfterTest(await openDatabase({ databaseUrl: null, dataDir, log: keepLog(), now: Date.now, ...more }))
}

/** With this version's schema and no rows: a copy of one that was migrated before the run, which takes a third. */
export function openMigrated(): Promise<Database> {
  const folder = makeDataFolder()
  whenDone(() => rmSync(folder, { recursive: true, force: true }))
  return openEmbedded(folder)
}

export async function openDistributed(databaseUrl: string, more: Partial<DatabaseOptions> = {}): Promise<Database> {
  return closeAfterTest(
    await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: keepLog(), now: Date.now, ...more }),
  )
}

function closeAfterTest(database: Database): Database {
  whenDone(() => database.close())
  return database
}

/** In the order that the references between tables ask for. */
export const sampleRows: Rows = {
  ...accountRows,
  ...factorRows,
  ...ssoRows,
  ...settingsRows,
  ...conversationRows,
  ...operationRows,
}
