// The third-party test data that lies beside the checkout on some machines and is never part of the repository.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const isHidden = process.env.WITHOUT_SHARED_DATA === '1'

/** The path of a file or folder of that data, or null where this machine does not have it. */
export function findSharedData(relativePath: string): string | null {
  const path = join(import.meta.dirname, '../../../../shared/data', relativePath)
  return !isHidden && existsSync(path) ? path : null
}
