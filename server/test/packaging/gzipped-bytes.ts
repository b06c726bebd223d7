// The size of what a page loads: a module, bundled and minified as for production, and compressed by gzip.
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/**
 * Without what the module loads later, by `import()`. `code` imports files by their whole paths; packages in `external`
 * are left out.
 */
export async function gzippedBytes(code: string, external: RegExp[] = []): Promise<number> {
  const name = 'page'
  const bundle = await rolldown({
    input: name,
    external,
    // `use client` is for servers, and lost in a page.
    onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    plugins: [{ name, resolveId: id => (id === name ? id : null), load: id => (id === name ? code : null) }],
  })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  return gzipSync(output[0].code, { level: 9 }).length
}
