// Bundles the command line into a folder, as one file with all that it uses.
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const sdk = join(import.meta.dirname, '../sdk/src/index.ts')

export async function bundleCli(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: import.meta.dirname,
    input: { sallyport: 'src/main.ts' },
    platform: 'node',
    tsconfig: false,
    // Its build may be older than its sources, or absent.
    resolve: { alias: { '@sallyport/sdk': sdk } },
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`)
    },
  })
  // Of the comments of others, their licences alone are kept.
  const comments = { legal: true, annotation: false, jsdoc: false }
  await bundle.write({ dir: folder, entryFileNames: '[name].js', codeSplitting: false, comments })
  await bundle.close()
}
