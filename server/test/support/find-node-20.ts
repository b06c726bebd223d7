// Where the oldest Node is that the SDK and the start of the product support. The tests themselves run on a newer one.
import { spawnSync } from 'node:child_process'
import { findBinaries } from './find-binary.ts'

/** Null where this machine has no Node 20, 22 or 24 of its own. */
export function findNode20(): string | null {
  const isOlder = (path: string): boolean => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
    const major = Number(/^v(\d+)\./.exec(stdout)?.[1])
    return major >= 20 && major < 26
  }
  return findBinaries('node').find(isOlder) ?? null
}
