// Creates a folder that only its owner may open, with missing parents.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns true if this call created it. Avoids mkdir's own recursion: Node loops forever if a folder cannot be
 * created although its parent exists, as under /proc.
 */
export function makePrivateFolder(path: string): boolean {
  if (existsSync(path)) return false
  const parent = dirname(path)
  if (parent !== path) makePrivateFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
