// Bundles the server into a folder: its entries and their shared code in `code/`, and beside it the files that the code
// reads, in the folders that they have among the sources.
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const server = join(import.meta.dirname, '..')
const sources = join(server, 'src')

/** By the name of their file. The database's thread finds its own beside the code that starts it. */
const entries = {
  main: 'src/main.ts',
  app: 'src/app.ts',
  'thread-main': 'src/storage/embedded/thread-main.ts',
  demo: 'src/commands/demo.ts',
  database: 'src/commands/database.ts',
}
/** Hundreds of modules, most of which nothing here uses. The other packages are loaded when the product runs. */
const bundledPackages = ['jose', 'kysely', 'zod']
const readFiles = '**/*.{lua,bin,json,css,js}'

export async function bundleServer(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: server,
    input: entries,
    platform: 'node',
    tsconfig: false,
    external: readLoadedPackages(),
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`)
    },
  })
  await bundle.write({
    dir: join(folder, 'code'),
    sourcemap: true,
    sourcemapExcludeSources: true,
    // The runtime keeps this text: one byte a character if all of it is ASCII, else two. Lines stay, the log finds
    // sources by them.
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  for (const path of globSync(readFiles, { cwd: sources })) cpSync(join(sources, path), join(folder, path))
}

function readLoadedPackages(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'))
  return Object.keys(dependencies).filter(name => !bundledPackages.includes(name))
}
