// Finds an older Node that the SDK and the product's start script support. The tests themselves run on a newer one.
import { spawnSync } from 'node:child_process'
import { findBinaries } from './find-binary.ts'

/** Null if this machine has no Node from 20 to 25. */
export function findNode20(): string | null {
  const isOlder = (path: string): boolean => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
    const major = Number(/^v(\d+)\./.exec(stdout)?.[1])
    return major >= 20 && major < 26
  }
  return findBinaries('node').find(isOlder) ?? null
}
