// Finds third-party test data that is beside the checkout on some machines and never part of the repository. Without
// it, the tests that read it are skipped; with CI=true, skipped tests fail the run.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const isHidden = process.env.WITHOUT_SHARED_DATA === '1'

/** Returns the path of a file or folder of that data, or null if this machine does not have it. */
export function findSharedData(relativePath: string): string | null {
  const path = join(import.meta.dirname, '../../../../shared/data', relativePath)
  return !isHidden && existsSync(path) ? path : null
}

/** Defines a suite that reads a file or folder of that data; without it, one skipped test that says what is missing. */
export function describeWithSharedData(name: string, relativePath: string, suite: (path: string) => void): void {
  const path = findSharedData(relativePath)
  if (path !== null) describe(name, () => suite(path))
  else test(name, context => context.skip(`the test data shared/data/${relativePath} is not on this machine`))
}
