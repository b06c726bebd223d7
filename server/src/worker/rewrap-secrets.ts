// Wraps stored secrets with the current encryption key, so that the earlier one can be removed. The secrets themselves
// stay sealed.

import { SealedSecretError, type SecretBox, type SecretContext } from '../crypto/secrets/secret-box.ts'
import type { Job, WorkerDependencies } from './job.ts'

export type Rewrapper = Pick<SecretBox, 'prefixes' | 'rewrap'>

/** One table with sealed secrets. */
export interface SealedRows<Row extends { id: string; ciphertext: string }> {
  jobName: string
  /** A page of the rows that the key with this mark did not wrap, by id. */
  list(dependencies: WorkerDependencies, currentMark: string, afterId: string): Promise<Row[]>
  contextOf(row: Row): SecretContext
  /** Leaves a row alone whose secret has changed meanwhile. */
  replace(dependencies: WorkerDependencies, row: Row, ciphertext: string): Promise<void>
  warn(dependencies: WorkerDependencies, row: Row, reason: SealedSecretError['reason']): void
}

export function rewrapSecrets<Row extends { id: string; ciphertext: string }>(
  rows: SealedRows<Row>,
  secretBox: Rewrapper,
  everyMs: number,
): Job {
  /** The rows that the last complete run could not open: each is logged once, not in every cycle. */
  let known: ReadonlySet<string> = new Set()
  return {
    name: rows.jobName,
    everyMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      const unopened = new Set<string>()
      let afterId = ''
      while (!signal.aborted) {
        const page = await rows.list(dependencies, secretBox.prefixes[0], afterId)
        if (page.length === 0) {
          known = unopened
          return
        }
        for (const row of page) {
          // One bad row does not stop the others.
          const ciphertext = findRewrapped(secretBox, row.ciphertext, rows.contextOf(row))
          if (typeof ciphertext === 'string') {
            await rows.replace(dependencies, row, ciphertext)
            continue
          }
          unopened.add(row.id)
          if (!known.has(row.id)) rows.warn(dependencies, row, ciphertext.reason)
        }
        afterId = page.at(-1)?.id ?? ''
      }
    },
  }
}

function findRewrapped(secretBox: Rewrapper, ciphertext: string, context: SecretContext): string | SealedSecretError {
  try {
    return secretBox.rewrap(ciphertext, context)
  } catch (error) {
    if (error instanceof SealedSecretError) return error
    throw error
  }
}
