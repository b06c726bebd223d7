// Builds the dashboard into a folder, as vite.config.ts says.
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
}
