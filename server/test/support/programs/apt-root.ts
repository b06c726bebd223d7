// A Debian package system in a temporary folder. While APT_CONFIG names its configuration, the real apt-get and dpkg
// work on it instead of on this machine. Only for root: sudo drops that variable.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'

export interface AptPackage {
  name: string
  version: string
  /** Further fields of the control file, such as `Depends: other`. */
  fields?: string[]
  /** The content of the package's one file; by default the version. */
  content?: Buffer
}

export interface AptRoot {
  root: string
  /** The value for APT_CONFIG. */
  configPath: string
  /** The one file of a package, or null if the package is not installed. */
  find: (name: string) => string | null
  /** The installed version, or null. */
  installedVersion: (name: string) => string | null
  remove: () => void
}

/** The folders that apt-get and dpkg expect to find. */
const folders = [
  'etc/apt/apt.conf.d',
  'etc/apt/preferences.d',
  'var/lib/dpkg/info',
  'var/lib/dpkg/updates',
  'var/lib/dpkg/triggers',
  'var/lib/apt/lists/partial',
  'var/cache/apt/archives/partial',
  'var/log/apt',
  'repository',
]

export function makeAptRoot(offered: AptPackage[], installed: AptPackage[]): AptRoot {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-apt-'))
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', file), '')
  const entries = offered.map(entry => describePackage(root, buildPackage(root, entry)))
  writeFileSync(join(root, 'repository/Packages'), entries.join('\n'))
  writeFileSync(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] file:${root}/repository ./\n`)
  for (const entry of installed) execFileSync(getProgram('dpkg'), [`--root=${root}`, '-i', buildPackage(root, entry)])
  const configPath = join(root, 'apt.conf')
  writeFileSync(configPath, configOf(root))
  const find = (name: string) => (existsSync(join(root, 'opt', name)) ? join(root, 'opt', name) : null)
  return {
    root,
    configPath,
    find,
    installedVersion(name) {
      if (find(name) === null) return null
      const query = ['--root', root, '--show', '--showformat=$' + '{Version}', name]
      return execFileSync(getProgram('dpkg-query'), query, { encoding: 'utf8' })
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function configOf(root: string): string {
  return `
Dir "${root}";
Dir::State::status "${root}/var/lib/dpkg/status";
Dir::Bin::methods "/usr/lib/apt/methods";
Dir::Bin::dpkg "${getProgram('dpkg')}";
DPkg::Options { "--root=${root}"; "--log=${root}/dpkg.log"; };
APT::Architecture "all";
APT::Sandbox::User "root";
`
}

/** Builds the package into the repository and returns the file's path. */
function buildPackage(root: string, { name, version, fields = [], content }: AptPackage): string {
  const folder = join(root, 'build', `${name}-${version}`)
  mkdirSync(join(folder, 'DEBIAN'), { recursive: true })
  mkdirSync(join(folder, 'opt'))
  writeFileSync(join(folder, 'opt', name), content ?? version)
  const fixed = ['Architecture: all', 'Maintainer: Nobody <nobody@example.com>', 'Description: for a test']
  const control = [`Package: ${name}`, `Version: ${version}`, ...fixed, ...fields, '']
  writeFileSync(join(folder, 'DEBIAN/control'), control.join('\n'))
  const path = join(root, 'repository', `${name}_${version}.deb`)
  execFileSync(getProgram('dpkg-deb'), ['-Znone', '--root-owner-group', '--build', folder, path])
  return path
}

/** Returns the package's entry in the list of packages. */
function describePackage(root: string, path: string): string {
  const content = readFileSync(path)
  const control = execFileSync(getProgram('dpkg-deb'), ['--field', path], { encoding: 'utf8' })
  const digest = createHash('sha256').update(content).digest('hex')
  const place = path.slice(join(root, 'repository').length + 1)
  return `${control}Filename: ./${place}\nSize: ${content.length}\nSHA256: ${digest}\n`
}

function getProgram(name: string): string {
  const path = findBinary(name)
  if (path === null) throw new Error(`${name} is not installed`)
  return path
}
