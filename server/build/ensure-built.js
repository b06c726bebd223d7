// Builds what is older than its sources: the server, the dashboard, the packages for applications, the command line.
// `npm run build`; a start does it too, so this is JavaScript: the runtime's TypeScript parser loads only when there is
// something to build.
import { readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} output
 * @property {string} [after] The part whose output this one reads; it is listed before.
 * @property {string[]} sources Files, and folders with all that is in them.
 * @property {(folder: string) => Promise<void>} build Writes all of the output into a folder.
 */

const root = join(import.meta.dirname, '../..')
const compileLibrary = 'server/build/compile-library.ts'
const everywhere = ['package-lock.json', 'tsconfig.base.json']

/** @type {Part[]} */
const parts = [
  {
    name: 'server',
    output: 'server/dist',
    sources: ['server/src', 'server/build'],
    build: async folder => (await import('./bundle-server.ts')).bundleServer(folder),
  },
  {
    name: 'dashboard',
    output: 'dashboard/dist',
    sources: [
      'dashboard/src',
      'dashboard/index.html',
      'dashboard/vite.config.ts',
      'dashboard/build.ts',
      'sdk/src',
      'server/src/domain/provider.ts',
    ],
    build: async folder => (await import('../../dashboard/build.ts')).buildDashboard(folder),
  },
  {
    name: 'SDK',
    output: 'sdk/dist',
    sources: ['sdk/src', 'sdk/tsconfig.json', 'sdk/tsconfig.build.json', compileLibrary],
    build: async folder => (await import('./compile-library.ts')).compileLibrary('sdk', folder),
  },
  {
    name: 'React package',
    output: 'react/dist',
    // It compiles against the SDK's build.
    after: 'SDK',
    sources: ['react/src', 'react/tsconfig.json', 'react/tsconfig.build.json', compileLibrary, 'sdk/src'],
    build: async folder => (await import('./compile-library.ts')).compileLibrary('react', folder),
  },
  {
    name: 'command line',
    output: 'cli/dist',
    sources: ['cli/src', 'cli/build.ts', 'sdk/src', 'server/src/domain'],
    build: async folder => (await import('../../cli/build.ts')).bundleCli(folder),
  },
]

/** Says on stderr what it builds, and how long that took. */
export async function ensureBuilt() {
  const stale = parts.filter(isStale)
  if (stale.length === 0) return
  const begun = performance.now()
  process.stderr.write(`Building ${stale.map(({ name }) => name).join(', ')} ... `)
  /** @type {Map<string, Promise<void>>} */
  const builds = new Map()
  for (const part of stale) {
    const before = builds.get(part.after ?? '')
    builds.set(part.name, before === undefined ? build(part) : before.then(() => build(part)))
  }
  await Promise.all(builds.values())
  process.stderr.write(`done in ${((performance.now() - begun) / 1000).toFixed(1)} s.\n`)
}

/** @param {Part} part */
function isStale({ output, sources }) {
  const builtAt = statSync(join(root, output), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...sources, ...everywhere].some(path => isNewer(join(root, path), builtAt))
}

/**
 * A folder is newer, too, when a file in it was removed or renamed.
 * @param {string} path
 * @param {number} thanMs
 * @returns {boolean}
 */
function isNewer(path, thanMs) {
  const found = statSync(path)
  if (found.mtimeMs > thanMs) return true
  return found.isDirectory() && readdirSync(path).some(name => isNewer(join(path, name), thanMs))
}

/**
 * The output appears at once and whole, since other processes may be starting from it.
 * @param {Part} part
 */
async function build({ output, build }) {
  const beginning = new Date()
  const place = join(root, output)
  const unfinished = `${place}.${process.pid}`
  const former = `${unfinished}.former`
  try {
    await build(unfinished)
    // What changed while this built is newer than the output.
    utimesSync(unfinished, beginning, beginning)
    moveIfThere(place, former)
    renameSync(unfinished, place)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
    rmSync(former, { recursive: true, force: true })
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function moveIfThere(from, to) {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to)
}

if (import.meta.main) await ensureBuilt()
