// Writes the npm package of the server into a folder: the checkout's tree with JavaScript in place of TypeScript. Lines
// and columns stay, so a stack frame of the package leads to the source.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { readLockedPackages } from './locked-packages.ts'
import { rewriteImports } from './rewrite-imports.ts'

interface CheckoutManifest {
  name: string
  version: string
  description: string
  license: string
  engines: { node: string }
  config: Record<string, string>
}

const checkout = join(import.meta.dirname, '../..')
/** What the sources read beside themselves. */
const assets = new Set(['.lua', '.bin', '.json', '.css', '.js'])
const leftOut = new Set(['.md'])
/** What the server shows to people. */
const pages = ['docs/**/*.{md,svg,png}', 'dashboard/dist/**/*.*']
/** They write pages of the checkout. */
const developmentFiles = 'server/src/commands/print-*.ts'
const command = 'server/bin/sallyport.ts'

/** `repository` is its address, null for a package that is not published. */
export function stageServer(folder: string, repository: string | null): void {
  const sources = globSync(['server/src/**/*.*', command], { cwd: checkout, exclude: [developmentFiles] })
  for (const path of sources) {
    const extension = extname(path)
    if (extension === '.ts') transpile(path, folder)
    else if (assets.has(extension)) copy(path, folder)
    else if (!leftOut.has(extension)) throw new Error(`${path}: neither an asset nor left out of the package`)
  }
  for (const path of globSync(pages, { cwd: checkout })) copy(path, folder)
  for (const path of ['README.md', 'LICENSE', 'NOTICE', 'server/loader.js']) copy(path, folder)
  const manifest = describePackage()
  const published = repository === null ? manifest : { ...manifest, repository: { type: 'git', url: repository } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

function transpile(path: string, folder: string): void {
  const target = join(folder, path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, rewriteImports(stripTypeScriptTypes(readFileSync(join(checkout, path), 'utf8'))))
}

function copy(path: string, folder: string): void {
  cpSync(join(checkout, path), join(folder, path))
}

function describePackage() {
  const { name, version, description, license, engines, config } = JSON.parse(
    readFileSync(join(checkout, 'package.json'), 'utf8'),
  ) as CheckoutManifest
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { sallyport: command.replace(/\.ts$/, '.js') },
    files: ['server', 'docs', 'dashboard', 'NOTICE'],
    engines: { node: engines.node },
    config,
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
