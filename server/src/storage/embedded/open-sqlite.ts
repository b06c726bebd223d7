// Opens the embedded database: one file, one process, every acknowledged commit on the disk.
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import { countQueries } from '../count-queries.ts'
import { describeError, isCorruption, isLocked } from '../database-errors.ts'
import type { OpenHandle } from '../open-handle.ts'
import { fileDays } from '../request-log/file-days.ts'
import { fileStatements } from '../request-log/file-statements.ts'
import { contentDays, rowDays } from '../request-log/request-tables.ts'
import type { Schema } from '../schema.ts'
import { outerQueryGuard } from '../transact.ts'
import { endedUncleanly, type FolderFiles, lockFolder, markEnded, markRunning, prepareFolder } from './data-folder.ts'
import { DatabaseThread } from './database-thread.ts'
import { threadDayFiles, threadDialect } from './thread-dialect.ts'

export interface SqliteOptions {
  dataDir: string
  log: Log
  metrics?: Pick<Metrics, 'queryEnded'>
}

/** Locks the folder, opens the file, and checks it if the last process crashed. */
export async function openSqlite({ dataDir, log, metrics }: SqliteOptions): Promise<OpenHandle> {
  const files = prepareFolder(dataDir, log)
  const unlock = lockFolder(files)
  try {
    const isSuspect = endedUncleanly(files)
    if (isSuspect) log.warn('the last process crashed, checking the database')
    const { database: file, requests: daysFolder } = files
    const thread = await DatabaseThread.open({ file, daysFolder, statements: fileStatements, isSuspect })
    markRunning(files)
    const sql = new Kysely<Schema>({
      dialect: threadDialect(thread),
      plugins: [outerQueryGuard],
      log: countQueries(metrics),
    })
    const dayFiles = threadDayFiles(thread, files.requests)
    const days = { requestDays: fileDays(dayFiles, rowDays), contentDays: fileDays(dayFiles, contentDays) }
    return { sql, ...days, close: () => close({ sql, ...days }, thread, files, unlock) }
  } catch (error) {
    unlock()
    throw asStartupProblem(error, files)
  }
}

async function close(
  opened: Omit<OpenHandle, 'close'>,
  thread: DatabaseThread,
  files: FolderFiles,
  unlock: () => void,
): Promise<void> {
  // Waits for its turn on the connection, so that no transaction is cut off.
  const { sql } = opened
  await sql.connection().execute(async () => undefined)
  await sql.destroy()
  for (const days of [opened.requestDays, opened.contentDays]) await days.close()
  await thread.close()
  markEnded(files)
  unlock()
}

function asStartupProblem(error: unknown, files: FolderFiles): unknown {
  if (error instanceof StartupProblem) return error
  const words = describeError(error)
  if (isCorruption(error)) {
    return new StartupProblem(
      `The database ${files.database} is corrupt (${words}); replace it by a backup with npm run db:restore.`,
      error,
    )
  }
  if (isLocked(error)) return new StartupProblem(`The database ${files.database} is locked by another program.`, error)
  return new StartupProblem(`The database in ${dirname(files.database)} cannot be opened: ${words}.`, error)
}
