// Reads from package-lock.json what the product needs when it runs: its packages with their exact versions and hashes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  version: string
  license?: string
  integrity?: string
  optional?: true
  [field: string]: unknown
}

interface LockEntry extends LockedPackage {
  dev?: true
  link?: true
}

const checkout = join(import.meta.dirname, '../..')

/**
 * By their folder in an installation, such as `node_modules/fastify`; neither the workspaces nor development packages.
 */
export function readLockedPackages(): Map<string, LockedPackage> {
  const text = readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> }
  const locked = new Map<string, LockedPackage>()
  for (const [folder, entry] of Object.entries(packages)) {
    if (!/^(server\/)?node_modules\//.test(folder) || entry.dev || entry.link) continue
    const path = folder.replace(/^server\//, '')
    if (locked.has(path)) throw new Error(`${path} is locked twice: for the server and at the top`)
    locked.set(path, entry)
  }
  return locked
}
