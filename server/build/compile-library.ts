// Compiles the sources of a package that applications install: the SDK, the React package.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** As the compiler writes them. */
const relativeImport = /(\b(?:from |import\()'\.\/[^'\n]+)\.ts'/g
const root = join(import.meta.dirname, '../..')

export async function compileLibrary(name: 'sdk' | 'react', folder: string): Promise<void> {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  const project = join(root, name, 'tsconfig.build.json')
  const args = [join(typescript, 'bin/tsc'), '-p', project, '--outDir', folder]
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error(`The package in ${name}/ does not compile.`)
  // The compiler leaves `.ts` in the imports of declarations, which not every tool resolves.
  for (const file of globSync('*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(relativeImport, "$1.js'"))
  }
}
