// Compiles the sources of the package into a folder.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rewriteImports } from '../../server/packaging/rewrite-imports.ts'

const project = join(import.meta.dirname, '../tsconfig.build.json')

export function compile(folder: string): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', project, '--outDir', folder], { stdio: 'inherit' })
  // The compiler leaves `.ts` in the imports of declarations, which not every tool resolves.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const path = join(folder, name)
    writeFileSync(path, rewriteImports(readFileSync(path, 'utf8')))
  }
}
