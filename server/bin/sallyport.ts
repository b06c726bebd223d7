#!/usr/bin/env node
// The command `sallyport` of the npm package: runs the product on the Node version that npm installs with it. Must
// itself run on Node 20, so it imports nothing of the product.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, constants } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface Manifest {
  version: string
  /** `npm start` takes the same values from the checkout's package.json. */
  config: {
    node_flags: string
    node_flags_of_one_core: string
    malloc_arena_max: string
    malloc_trim_threshold: string
  }
  optionalDependencies: Record<string, string>
}

interface Command {
  file: string
  args: string[]
  isServer?: true
}

const usage = `Usage: sallyport [command]

Commands:
  start              starts Sallyport with its data in ./data, on port 8080 (the default)
  demo               runs Sallyport in front of a simulated provider, with temporary data
  db:backup FILE     copies the embedded database to FILE, also while the server runs
  db:restore FILE    replaces the embedded database by FILE; the server must be stopped
  --help             shows this text
  --version          shows the version

All settings are environment variables; \`sallyport start --help\` lists them.`

const ownFile = fileURLToPath(import.meta.url)
const root = join(dirname(ownFile), '../..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
/** One for each platform, all of the same major version. */
const nodePackages = Object.entries(manifest.optionalDependencies).filter(([name]) =>
  /^node-(bin-)?(darwin|linux|win)-/.test(name),
)
const neededMajor = Number(nodePackages[0]?.[1].split('.')[0])

function main([word = 'start', ...rest]: string[]): void {
  const command = findCommand(word, rest)
  if (word === '--help') print(usage)
  else if (word === '--version') print(manifest.version)
  else if (command === null) fail(`Unknown command ${word}: see sallyport --help.`)
  else run(command)
}

function findCommand(word: string, args: string[]): Command | null {
  if (word === 'start') return { file: 'main', args, isServer: true }
  if (word === 'demo') return { file: 'commands/demo', args }
  if (word === 'db:backup' || word === 'db:restore') {
    return { file: 'commands/database', args: [word.slice('db:'.length), ...args] }
  }
  return null
}

/** The packaged version is the tested one, so it takes precedence over the Node that runs this file. */
function findNode(): { path: string } | { problem: string } {
  const packaged = findPackagedNode()
  const fault = packaged === null ? null : findError(packaged)
  if (packaged !== null && fault === null) return { path: packaged }
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return { path: process.execPath }
  const problem =
    fault === null
      ? `No Node ${neededMajor} for ${process.platform}-${process.arch} is installed with Sallyport`
      : `The Node ${neededMajor} that is installed with Sallyport does not start (${fault})`
  return { problem: `${problem}: install Node ${neededMajor} or later, then run this command again.` }
}

function findPackagedNode(): string | null {
  const require = createRequire(ownFile)
  for (const [name] of nodePackages) {
    const path = require.resolve.paths(name)?.find(folder => existsSync(join(folder, name, 'package.json')))
    if (path === undefined) continue
    const text = readFileSync(join(path, name, 'package.json'), 'utf8')
    const { bin, os, cpu } = JSON.parse(text) as { bin: { node: string }; os: string; cpu: string }
    // A copied node_modules may hold the package of another machine.
    if (os === process.platform && cpu === process.arch) return join(path, name, bin.node)
  }
  return null
}

/** It does not start without its system libraries, nor on a Linux with musl. */
function findError(node: string): string | null {
  const { status, error, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (status === 0) return null
  return error?.message ?? stderr.trim().split('\n')[0] ?? ''
}

function run({ file, args, isServer }: Command): void {
  const node = findNode()
  if ('problem' in node) {
    fail(node.problem)
    return
  }
  const { config } = manifest
  const path = join(root, 'server/src', `${file}${extname(ownFile)}`)
  let child: ChildProcess | undefined
  // Before the child begins, which may tell somebody at once that it has.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child?.kill(signal))
  child = spawn(node.path, [...(isServer ? serverFlags(config) : []), path, ...args], {
    stdio: 'inherit',
    env: {
      MALLOC_ARENA_MAX: config.malloc_arena_max,
      MALLOC_TRIM_THRESHOLD_: config.malloc_trim_threshold,
      ...process.env,
    },
  })
  child.once('error', error => fail(`Node could not be started: ${error.message}`))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
}

/** Files among them are named from the package's folder, and the command runs in any. */
function serverFlags({ node_flags, node_flags_of_one_core }: Manifest['config']): string[] {
  const flags = availableParallelism() === 1 ? `${node_flags} ${node_flags_of_one_core}` : node_flags
  return flags.split(' ').map(flag => flag.replace('=./', `=${pathToFileURL(root)}/`))
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

main(process.argv.slice(2))
