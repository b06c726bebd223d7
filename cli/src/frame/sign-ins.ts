// The sessions that `login` has opened, by installation: a file that only its owner can read.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

interface SignIn {
  token: string
  /** ISO 8601. */
  expires_at: string
}

export interface SignIns {
  /** The installation of the last `login`: it is meant where none is named. */
  default: string | null
  installations: Record<string, SignIn>
}

const none: SignIns = { default: null, installations: {} }

/** As the XDG base directories say. */
export function signInsFile({ XDG_CONFIG_HOME: base }: { XDG_CONFIG_HOME?: string | undefined }): string {
  return join(base || join(homedir(), '.config'), 'sallyport/sessions.json')
}

export function readSignIns(file: string): SignIns {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none
    throw error
  }
  try {
    const { default: installation, installations } = JSON.parse(text) as SignIns
    return { default: installation ?? null, installations: { ...installations } }
  } catch {
    // It may be half of a file that somebody edited.
    throw new Failure(`${file} cannot be read`, 'Remove it, and sign in again: sallyport login')
  }
}

/** Replaced as a whole, so that two commands at once cannot mix theirs. */
export function writeSignIns(file: string, signIns: SignIns): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  try {
    writeFileSync(unfinished, `${JSON.stringify(signIns, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** So that one address has one entry. */
export const trimUrl = (url: string) => url.replace(/\/+$/, '')
