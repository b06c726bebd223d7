// Writes the npm package of the server into a folder: the builds, the pages that it shows, and the file that starts them.
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLockedPackages } from './locked-packages.ts'

interface CheckoutManifest {
  name: string
  version: string
  description: string
  license: string
  engines: { node: string }
}

const checkout = join(import.meta.dirname, '../..')
const command = 'server/start.js'
const contents = [
  command,
  'server/dist/**/*.*',
  'dashboard/dist/**/*.*',
  'cli/dist/**/*.*',
  'docs/**/*.{json,md,svg,png}',
  'README.md',
  'LICENSE',
  'NOTICE',
]

/** `repository` is its address, null for a package that is not published. */
export function stageServer(folder: string, repository: string | null): void {
  for (const path of globSync(contents, { cwd: checkout })) cpSync(join(checkout, path), join(folder, path))
  const manifest = describePackage()
  const published = repository === null ? manifest : { ...manifest, repository: { type: 'git', url: repository } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

function describePackage() {
  const { name, version, description, license, engines } = JSON.parse(
    readFileSync(join(checkout, 'package.json'), 'utf8'),
  ) as CheckoutManifest
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { sallyport: command },
    files: ['server', 'docs', 'dashboard', 'cli', 'NOTICE'],
    engines: { node: engines.node },
    ...pinPackages(),
  }
}

/**
 * npm reads no lockfile of an installed package. So the package names what its dependencies bring, too, and every
 * installation gets the tested versions; only second versions of a package are left to npm.
 */
function pinPackages() {
  const pinned = { dependencies: {} as Record<string, string>, optionalDependencies: {} as Record<string, string> }
  for (const [path, { version, optional }] of readLockedPackages()) {
    const name = path.replace('node_modules/', '')
    if (name.includes('/node_modules/')) continue
    pinned[optional ? 'optionalDependencies' : 'dependencies'][name] = version
  }
  return pinned
}
