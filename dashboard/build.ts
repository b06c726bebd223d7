// Builds the dashboard into a folder, as vite.config.ts says, and beside it the SDK as one module, for pages that load it
// from Sallyport.
import { join } from 'node:path'
import { build } from 'vite'

export async function buildDashboard(folder: string): Promise<void> {
  // React's part for production is chosen by it.
  process.env['NODE_ENV'] = 'production'
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    build: { outDir: folder, emptyOutDir: true },
    logLevel: 'warn',
  })
  await build({
    configFile: false,
    root: join(import.meta.dirname, '../sdk'),
    build: {
      target: 'es2022',
      outDir: folder,
      emptyOutDir: false,
      lib: { entry: 'src/index.ts', formats: ['es'], fileName: () => 'sdk.js' },
      reportCompressedSize: false,
      // What the SDK loads later is in it, too.
      rolldownOptions: { output: { codeSplitting: false } },
    },
    logLevel: 'warn',
  })
}
