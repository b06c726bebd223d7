// Makes a folder for its owner alone, with the parents that are missing. Knows nothing of what will lie in it.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * True when this call made it. Not mkdir's own recursion: where a folder cannot be made although its parent is there,
 * as under /proc, Node's goes round for ever.
 */
export function makePrivateFolder(path: string): boolean {
  if (existsSync(path)) return false
  const parent = dirname(path)
  if (parent !== path) makePrivateFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (fault) {
    // Another process was faster.
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fault
  }
}
