// For `node --import`: replaces some of the files that the runtime loads, so that the process takes less memory.
// JavaScript, since one file with types would load the runtime's TypeScript parser, which takes 15 MB.
//
// - The server's sources come without their types, from a cache. With NODE_COMPILE_CACHE the runtime would cache them
//   too, but it keeps that cache in memory (12 MB).
// - The translations of zod's messages are left out (2 MB): the server writes its own messages.
// - Kysely is loaded without what the server does not use: other dialects, migrations, plugins (2 MB).
// - What Fastify loads at the start and needs only for plugins with a version or for HTTP/2 is loaded when it is used
//   (2 MB).
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const sources = join(import.meta.dirname, 'src')
const sourcesUrl = `${pathToFileURL(sources)}/`
const cacheFolder = join(import.meta.dirname, '../node_modules/.cache/stripped')
let hasFilled = false
const kyselyParts = [
  'kysely',
  'raw-builder/sql',
  'query-compiler/compiled-query',
  'dialect/postgres/postgres-dialect',
  ...['adapter', 'dialect', 'introspector', 'query-compiler'].map(part => `dialect/sqlite/sqlite-${part}`),
]

/**
 * By the end of a file's URL: what stands in place of its text.
 * @type {Record<string, (url: string) => import('node:module').LoadFnOutput>}
 */
const replacements = {
  '/zod/v4/locales/index.js': () => asModule('export {}'),
  '/zod/v4/classic/from-json-schema.js': () => asModule('export const fromJSONSchema = undefined'),
  '/kysely/dist/index.js': () => asModule(kyselyParts.map(part => `export * from './${part}.js'`).join('\n')),
  '/semver/index.js': () => asScript(['satisfies', 'gt', 'coerce'].map(requireLater).join('\n')),
  '/fastify/lib/server.js': url => asScript(withLaterHttp2(readFileSync(fileURLToPath(url), 'utf8'))),
}

if (import.meta.main) fillCache()
else registerHooks({ load })

/** @type {import('node:module').LoadHookSync} */
function load(url, context, nextLoad) {
  for (const [end, replace] of Object.entries(replacements)) if (url.endsWith(end)) return replace(url)
  if (!url.startsWith(sourcesUrl) || !url.endsWith('.ts')) return nextLoad(url, context)
  const stripped = getStripped(fileURLToPath(url))
  // The cache cannot be written here: the runtime strips the types itself.
  return stripped === null ? nextLoad(url, context) : asModule(stripped)
}

/**
 * @param {string} source
 * @returns {import('node:module').LoadFnOutput}
 */
function asModule(source) {
  return { format: 'module', source, shortCircuit: true }
}

/**
 * @param {string} source
 * @returns {import('node:module').LoadFnOutput}
 */
function asScript(source) {
  return { format: 'commonjs', source, shortCircuit: true }
}

/** @param {string} name */
function requireLater(name) {
  return `exports.${name} = (...args) => require('./functions/${name}.js')(...args)`
}

/** @param {string} source */
function withLaterHttp2(source) {
  const names = ['createServer', 'createSecureServer']
  const getters = names.map(name => `get ${name}() { return require('node:http2').${name} }`)
  return source.replace("const http2 = require('node:http2')", `const http2 = { ${getters.join(', ')} }`)
}

/** @param {string} path */
function getStripped(path) {
  const source = readFileSync(path, 'utf8')
  const known = findStripped(path, source)
  if (known !== null || hasFilled) return known
  hasFilled = true
  // In a process of its own, whose memory ends with it. Most processes and threads do not need the module.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename], { stdio: 'ignore' })
  return findStripped(path, source)
}

/**
 * Null if the cache has another version of the file, or of the runtime.
 * @param {string} path
 * @param {string} source
 */
function findStripped(path, source) {
  const cached = cachedPath(path)
  const text = existsSync(cached) ? readFileSync(cached, 'utf8') : null
  return text?.endsWith(markOf(source)) ? text : null
}

function fillCache() {
  for (const name of globSync('**/*.ts', { cwd: sources })) {
    const path = join(sources, name)
    const source = readFileSync(path, 'utf8')
    if (findStripped(path, source) === null) keep(cachedPath(path), stripTypeScriptTypes(source) + markOf(source))
  }
}

/** @param {string} path */
function cachedPath(path) {
  return join(cacheFolder, `${path.slice(sources.length)}.js`)
}

/** @param {string} source */
function markOf(source) {
  return `\n//${createHash('sha256').update(process.version).update(source).digest('base64')}\n`
}

/**
 * Other processes may be reading the file.
 * @param {string} path
 * @param {string} text
 */
function keep(path, text) {
  const unfinished = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(unfinished, text)
  renameSync(unfinished, path)
}
