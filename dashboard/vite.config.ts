// How Vite builds the dashboard, into dashboard/dist.
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

/** As `npm start` runs it. */
const installation = 'http://localhost:8080'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  // Of the development server: the API of an installation that runs beside it.
  server: { proxy: Object.fromEntries(['/auth', '/v1', '/p/', '/docs', '/readyz'].map(path => [path, installation])) },
  // Its build may be older than its sources, or absent.
  resolve: { alias: { '@sallyport/sdk': join(import.meta.dirname, '../sdk/src/index.ts') } },
  build: {
    target: 'es2023',
    // The policy of the pages allows neither inline scripts nor `data:` pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // A busy machine is no fault of the build.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // Changes only with the libraries, so browsers keep it over updates.
            { name: 'libraries', test: /node_modules/, priority: 1 },
            // Without it, a screen would load up to 18 files, of which a browser asks for six at a time.
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
      // Libraries mark their client components, which means nothing to a page that is built for browsers only.
      onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    },
  },
})
