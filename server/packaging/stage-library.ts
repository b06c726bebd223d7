// Writes the npm package of the SDK, or of the React package, into a folder: its build and what its `files` list names
// beside it.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../..')

/** `repository` is its address, null for a package that is not published. */
export function stageLibrary(name: 'sdk' | 'react', folder: string, repository: string | null): void {
  const library = join(checkout, name)
  mkdirSync(folder, { recursive: true })
  for (const each of ['dist', 'README.md', 'LICENSE']) {
    cpSync(join(library, each), join(folder, each), { recursive: true })
  }
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  const published =
    repository === null ? manifest : { ...manifest, repository: { type: 'git', url: repository, directory: name } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}
