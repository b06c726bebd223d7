// Writes the npm package of the SDK into a folder: its build and what its `files` list names beside it.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const sdk = join(import.meta.dirname, '../../sdk')

/** `repository` is its address, null for a package that is not published. */
export function stageSdk(folder: string, repository: string | null): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['dist', 'README.md', 'LICENSE']) cpSync(join(sdk, name), join(folder, name), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const published =
    repository === null ? manifest : { ...manifest, repository: { type: 'git', url: repository, directory: 'sdk' } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}
