// The training texts of this repository, and its files as they were in the last commit that changed these texts.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const textFolder = new URL('./texts', import.meta.url).pathname
export const templateFolder = new URL('./templates', import.meta.url).pathname

const checkout = join(import.meta.dirname, '../../..')
const maxArchiveBytes = 1 << 29

/** The SHA-256 of the authors' texts and the templates. */
export function digestOwnTexts(): string {
  const digest = createHash('sha256')
  for (const folder of [textFolder, templateFolder]) {
    for (const name of readdirSync(folder).sort()) digest.update(`${name}\n`).update(readFileSync(`${folder}/${name}`))
  }
  return digest.digest('hex')
}

export function lastCommit(): string {
  const log = ['log', '-1', '--format=%H', '--', textFolder, templateFolder]
  return execFileSync('git', log, { cwd: checkout, encoding: 'utf8' }).trim()
}

/** Calls `read` with a folder that has these folders of the commit, and then removes it. */
export function inCommit<Result>(commit: string, folders: readonly string[], read: (root: string) => Result): Result {
  const root = mkdtempSync(join(tmpdir(), 'sentinel-train-'))
  try {
    const archive = ['archive', commit, '--', ...folders]
    const input = execFileSync('git', archive, { cwd: checkout, maxBuffer: maxArchiveBytes, stdio: 'pipe' })
    execFileSync('tar', ['-xf', '-', '-C', root], { input })
    return read(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
