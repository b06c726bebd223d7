// Stores a secret in its own file: created once, written atomically, readable only by its owner, and reused from then
// on.
import { randomUUID } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from '../../domain/startup-problem.ts'
import { makePrivateFolder } from './private-folder.ts'

export interface SecretFile<T> {
  folder: string
  name: string
  /** Called only if the file does not exist. */
  create: () => string | Promise<string>
  /** Parses the file's text; null if it is not such a secret. */
  read: (text: string) => T | null
  warn: Warn
}

type Warn = (message: string) => void

const errorCode = (error: unknown) => (error as NodeJS.ErrnoException).code

/**
 * Processes that start at the same time agree on one secret: the first to link its finished file wins, and `isNew` is
 * true for that process only.
 */
export async function readOrCreateSecret<T>(file: SecretFile<T>): Promise<{ secret: T; isNew: boolean }> {
  const path = join(file.folder, file.name)
  try {
    const existing = await findSecret(path, file)
    if (existing !== null) return { secret: existing, isNew: false }
    await prepareFolder(file)
    const isNew = await publish(path, file)
    const secret = await findSecret(path, file)
    if (secret === null) throw new StartupProblem(`${path} was removed while it was being read.`)
    return { secret, isNew }
  } catch (error) {
    if (error instanceof StartupProblem || errorCode(error) === undefined) throw error
    throw new StartupProblem(`${path} cannot be read or created (${errorCode(error)}).`, error)
  }
}

async function findSecret<T>(path: string, file: SecretFile<T>): Promise<T | null> {
  const text = await findText(path, file.warn)
  if (text === null) return null
  const secret = file.read(text.trim())
  if (secret === null) {
    throw new StartupProblem(`${path} is not a valid secret file; restore it from a backup or remove it.`)
  }
  return secret
}

async function findText(path: string, warn: Warn): Promise<string | null> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { mode } = await handle.stat()
    if (isOpenToOthers(mode, 0o077)) {
      const isTightened = await handle.chmod(0o600).then(
        () => true,
        () => false,
      )
      warn(
        `${path} was open to other users${isTightened ? '; its mode is 0600 now' : ' and cannot be closed to them'}.`,
      )
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

// The permissions of an existing folder stay unchanged: it may be a container's /data or hold other files.
async function prepareFolder({ folder, warn }: SecretFile<unknown>): Promise<void> {
  makePrivateFolder(folder)
  const { mode } = await stat(folder)
  if (isOpenToOthers(mode, 0o022)) warn(`${folder} can be changed by other users; secrets in it can be replaced.`)
}

/** Returns true if this process created the file, false if another one was faster. */
async function publish(path: string, file: SecretFile<unknown>): Promise<boolean> {
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    await writeDurably(draft, await file.create())
    await link(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
    await syncFolder(file.folder)
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(`${text.trim()}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// Windows has no such bits and reports them all as set.
function isOpenToOthers(mode: number, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0
}
