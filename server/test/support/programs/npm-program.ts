// Installs programs that tests start from npm packages, below node_modules/.cache: pinned by digest, without install
// scripts, and without root's rights.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NpmProgram {
  command: string
  packages: NpmPackage[]
}

export interface NpmPackage {
  name: string
  version: string
  integrity: string
  /** The commands that it installs, and their paths in the package. */
  bin: Record<string, string>
}

const cache = join(import.meta.dirname, '../../../../node_modules/.cache/test-programs')

/** The path of the installed command, in a folder with the other commands of its packages; null before the install. */
export function findNpmProgram(program: NpmProgram): string | null {
  const path = join(folderOf(program), 'node_modules/.bin', program.command)
  return existsSync(path) ? path : null
}

/** Throws if npm fails, or if a package is not the pinned one; nothing is left then. */
export function installNpmProgram(program: NpmProgram): void {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'installing-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(describePackages(program)))
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(makeLockfile(program)))
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['ci', ...flags], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    rmSync(folderOf(program), { recursive: true, force: true })
    renameSync(folder, folderOf(program))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function folderOf(program: NpmProgram): string {
  const digest = createHash('sha256').update(JSON.stringify(program)).digest('hex').slice(0, 16)
  return join(cache, `${program.command}-${digest}`)
}

function describePackages({ packages }: NpmProgram) {
  return { private: true, dependencies: Object.fromEntries(packages.map(({ name, version }) => [name, version])) }
}

/** npm checks the digests of a lockfile. Without an address in it, the packages come from the configured registry. */
function makeLockfile(program: NpmProgram) {
  const entries = program.packages.map(({ name, ...entry }) => [`node_modules/${name}`, entry])
  return {
    lockfileVersion: 3,
    requires: true,
    packages: { '': describePackages(program), ...Object.fromEntries(entries) },
  }
}
