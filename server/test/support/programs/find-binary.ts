// Finds the programs that tests start: on the PATH or in the folders where packages install them.
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

const usualFolders = [
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/bin',
  '/sbin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/postgresql/bin',
]

/** Returns the real path of the first name that exists, or null. */
export function findBinary(...names: string[]): string | null {
  return names.flatMap(findBinaries)[0] ?? null
}

/** Returns the real paths of all programs with that name, in the order of the PATH. */
export function findBinaries(name: string): string[] {
  const folders = [...(process.env.PATH ?? '').split(':').filter(Boolean), ...usualFolders, ...postgresFolders()]
  const paths = folders.map(folder => join(folder, name)).filter(isExecutable)
  return [...new Set(paths.map(path => realpathSync(path)))]
}

/** Debian keeps each major version in a folder of its own, off the PATH; newest first. */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql'
  try {
    const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
    return versions.map(version => join(root, version, 'bin'))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
