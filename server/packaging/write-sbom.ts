// `npm run sbom [-- FILE]`: writes the CycloneDX list of what the server's package installs, by default into dist/. npm
// makes it from a lockfile that holds only these packages, in a folder of the product's name, after which npm names the
// product.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readLockedPackages } from './locked-packages.ts'

type Dependencies = Record<string, string>

const checkout = join(import.meta.dirname, '../..')
const format = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--loglevel=error']

function readManifest(path: string) {
  return JSON.parse(readFileSync(join(checkout, path), 'utf8')) as {
    name: string
    version: string
    description: string
    license: string
    dependencies: Dependencies
    optionalDependencies: Dependencies
  }
}

function listPackages(): { name: string; version: string; text: string } {
  const { name, version, description, license, optionalDependencies } = readManifest('package.json')
  const { dependencies } = readManifest('server/package.json')
  const own = { name, version, description, license, dependencies, optionalDependencies }
  const packages = { '': own, ...Object.fromEntries(readLockedPackages()) }
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sbom-'))
  try {
    const cwd = join(folder, name)
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(own))
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ name, version, lockfileVersion: 3, packages }))
    return { name, version, text: execFileSync('npm', ['sbom', ...format], { cwd, encoding: 'utf8' }) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { name, version, text } = listPackages()
const file = resolve(process.argv[2] ?? join(checkout, 'dist', `${name}-${version}.cdx.json`))
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, text)
process.stdout.write(`${file}\n`)
