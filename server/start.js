#!/usr/bin/env node
// Starts the product: `npm start`, `npm run demo` and `npm run db:backup` in a checkout, the command `sallyport` of the
// npm package, the image's process. All other commands are those of `cli/`. Picks the Node that npm installs with the
// product, and builds what is older than its sources where there are sources. Must itself run on Node 20, so it is
// JavaScript and imports nothing of the product.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @type {Map<string, string[]>} The file that runs a command of the server, and its first arguments. */
const serverCommands = new Map([
  ['start', ['server/dist/code/main.js']],
  ['demo', ['server/dist/code/demo.js']],
  ['db:backup', ['server/dist/code/database.js', 'backup']],
  ['db:restore', ['server/dist/code/database.js', 'restore']],
])
const commandLine = 'cli/dist/sallyport.js'

/** As it was given: what builds changes the environment for itself. */
const environment = { ...process.env }
const ownFile = fileURLToPath(import.meta.url)
const root = join(dirname(ownFile), '..')
/** @type {{ version: string, optionalDependencies: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** One for each platform, all of the same major version. */
const nodePackages = Object.entries(manifest.optionalDependencies).filter(([name]) =>
  /^node-(bin-)?(darwin|linux|win)-/.test(name),
)
const neededMajor = Number(nodePackages[0]?.[1].split('.')[0])
const isNeededNode = Number(process.versions.node.split('.')[0]) >= neededMajor

/** @param {string[]} args */
async function main([word = 'start', ...rest]) {
  if (word === '--version') print(manifest.version)
  else await run([...(serverCommands.get(word) ?? [commandLine, word]), ...rest])
}

/** @param {string[]} command */
async function run([file = '', ...args]) {
  const node = findNode()
  if ('problem' in node) {
    fail(node.problem)
    return
  }
  if (existsSync(join(root, 'server/src'))) {
    if (!isNeededNode) {
      become(node.path, process.argv.slice(1))
      return
    }
    const { ensureBuilt } = await import('./build/ensure-built.js')
    await ensureBuilt()
  }
  become(node.path, [join(root, file), ...args])
}

/**
 * The packaged version is the tested one, so it takes precedence over the Node that runs this file.
 * @returns {{ path: string } | { problem: string }}
 */
function findNode() {
  const packaged = findPackagedNode()
  const fault = packaged === null || packaged === process.execPath ? null : findError(packaged)
  if (packaged !== null && fault === null) return { path: packaged }
  if (isNeededNode) return { path: process.execPath }
  const problem =
    fault === null
      ? `No Node ${neededMajor} for ${process.platform}-${process.arch} is installed with Sallyport`
      : `The Node ${neededMajor} that is installed with Sallyport does not start (${fault})`
  return { problem: `${problem}: install Node ${neededMajor} or later, then run this command again.` }
}

/** @returns {string | null} */
function findPackagedNode() {
  const require = createRequire(ownFile)
  for (const [name] of nodePackages) {
    const path = require.resolve.paths(name)?.find(folder => existsSync(join(folder, name, 'package.json')))
    if (path === undefined) continue
    const { bin, os, cpu } = JSON.parse(readFileSync(join(path, name, 'package.json'), 'utf8'))
    // A copied node_modules may hold the package of another machine.
    if (os === process.platform && cpu === process.arch) return join(path, name, bin.node)
  }
  return null
}

/**
 * It does not start without its system libraries, nor on a Linux with musl.
 * @param {string} node
 */
function findError(node) {
  const { status, error, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (status === 0) return null
  return error?.message ?? stderr.trim().split('\n')[0] ?? ''
}

/**
 * The product takes this process's place, with its signals, streams and exit code. Where the system or the runtime
 * cannot do that, it is a child that gets the signals.
 * @param {string} node
 * @param {string[]} args
 */
function become(node, args) {
  if (process.platform !== 'win32') process.execve?.(node, [node, ...args], environment)
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  // Before the child begins, which may tell somebody at once that it has.
  for (const signal of signals) process.on(signal, () => child?.kill(signal))
  child = spawn(node, args, { stdio: 'inherit', env: environment })
  child.once('error', error => fail(`Node could not be started: ${error.message}`))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
}

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`)
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

await main(process.argv.slice(2))
