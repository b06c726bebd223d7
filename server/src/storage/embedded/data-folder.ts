// The folder of the embedded database: its permissions, its lock for one process, and whether the last process ended
// well.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../domain/log.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import { describeError, isLocked } from '../database-errors.ts'

export interface FolderFiles {
  database: string
  lock: string
  /** Exists while a process uses the database; a leftover means that the process crashed. */
  running: string
  /** The folder of the days of the request log. */
  requests: string
}

export function filesIn(dataDir: string): FolderFiles {
  const folder = resolve(dataDir)
  return {
    database: join(folder, 'sallyport.db'),
    lock: join(folder, 'sallyport.lock.db'),
    running: join(folder, 'sallyport.running'),
    requests: join(folder, 'requests'),
  }
}

/** Creates missing folders, readable only by the owner. */
export function prepareFolder(dataDir: string, log: Log): FolderFiles {
  const files = filesIn(dataDir)
  try {
    const isNew = createFolder(resolve(dataDir))
    restrictPermissions(dataDir, isNew, files, log)
    for (const file of [files.database, files.lock]) {
      createPrivate(file)
      chmodSync(file, 0o600)
    }
    syncFolder(dataDir)
  } catch (error) {
    throw new StartupProblem(`The data folder ${resolve(dataDir)} cannot be used: ${describeError(error)}.`, error)
  }
  return files
}

/**
 * Returns true if this call created it. The runtime's recursive form loops forever if the system returns ENOENT, as in
 * /proc.
 */
function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return false
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error
  }
  createFolder(dirname(folder))
  return createFolder(folder)
}

/** Keeps locks from being garbage-collected, which would release them silently. */
const held = new Set<DatabaseSync>()

/** Locks the folder for this process; returns the unlock function. The system unlocks it for a process that dies. */
export function lockFolder(files: FolderFiles): () => void {
  const lock = new DatabaseSync(files.lock, { timeout: 500 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    const folder = resolve(files.lock, '..')
    if (isLocked(error)) throw new StartupProblem(`The data folder ${folder} is in use by another process.`, error)
    throw new StartupProblem(`The data folder ${folder} cannot be locked: ${describeError(error)}.`, error)
  }
  held.add(lock)
  return () => {
    if (held.delete(lock)) lock.close()
  }
}

/** For a start that ends anyway: creates nothing, and throws if another process uses the folder. */
export function refuseFolderInUse(dataDir: string): void {
  const files = filesIn(dataDir)
  if (existsSync(files.lock)) lockFolder(files)()
}

export function endedUncleanly(files: FolderFiles): boolean {
  return existsSync(files.running) || existsSync(`${files.database}-wal`)
}

export function markRunning(files: FolderFiles): void {
  createPrivate(files.running)
}

export function markEnded(files: FolderFiles): void {
  rmSync(files.running, { force: true })
}

export function syncFile(file: string): void {
  syncAt(file, 'r+')
}

/** Makes the names in a folder as durable as the files' contents. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncAt(folder, 'r')
}

function syncAt(path: string, flags: string): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Must never open an existing file: closing any descriptor of a file releases all locks that this process has on it.
 * SQLite gives its extra files the database's mode.
 */
function createPrivate(file: string): void {
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
}

/** The permissions of a folder that has other contents (a home folder, /srv) stay unchanged. */
function restrictPermissions(dataDir: string, isNew: boolean, files: FolderFiles, log: Log): void {
  if (process.platform === 'win32' || (statSync(dataDir).mode & 0o077) === 0) return
  const isOurs = isNew || existsSync(files.database) || readdirSync(dataDir).length === 0
  if (isOurs) chmodSync(dataDir, 0o700)
  else log.warn('the data folder is open to other users, restrict its permissions')
}
