// The server's package: packed as `npm run pack` does, installed in an empty folder as its users install it, and run
// there by a Node of their choice.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../support/programs/find-binary.ts'
import { findFreePort, type ServerProcess, startProcess, waitUntilReady } from '../support/server-process.ts'

const checkout = join(import.meta.dirname, '../../..')

interface CheckoutManifest {
  version: string
  scripts: { pack: string }
}

const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as CheckoutManifest

interface Packed {
  server: string
  sdk: string
  react: string
  wheel: string
  pythonSources: string
}

/** Returns the paths of the archives. */
export function packInto(folder: string, repository?: string): Packed {
  const [, command = '', ...args] = manifest.scripts.pack.split(' ')
  const more = repository === undefined ? [folder] : [folder, repository]
  // Python builds a part of it.
  if (findBinary('python3') === null) throw new Error('npm run pack needs python3')
  const output = execFileSync(command, [...args, ...more], { cwd: checkout, encoding: 'utf8' })
  const [server = '', sdk = '', react = '', wheel = '', pythonSources = ''] = output.trim().split('\n')
  return { server, sdk, react, wheel, pythonSources }
}

export interface Installation {
  /** Where the user's own `node_modules` is. */
  folder: string
  remove(): void
}

/** Packages come from npm's cache if it has them. */
export function installPackedServer(): Installation {
  const parent = mkdtempSync(join(tmpdir(), 'sallyport-packed-'))
  const folder = join(parent, 'with a blank')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, packInto(parent).server], { cwd: folder, stdio: 'pipe' })
  return { folder, remove: () => rmSync(parent, { recursive: true }) }
}

/** The environment is the installation's own: nothing of the checkout is on the PATH. */
export async function startCommand(
  node: string,
  { folder }: Installation,
  args: string[],
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const started = await startProcess({
    command: node,
    args: ['node_modules/.bin/sallyport', ...args],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', ...env },
  })
  onTestFinished(async () => void (await started.end('SIGTERM')))
  return started
}

async function runCommand(node: string, installation: Installation, ...args: string[]) {
  const started = await startCommand(node, installation, args)
  return { code: await started.exitCode, stdout: started.stdout(), stderr: started.stderr() }
}

/** The tests of one runtime: all commands of the installed package. */
export function testCommands(findRuntime: () => string | null): void {
  let installation: Installation
  beforeAll(() => {
    installation = installPackedServer()
  })
  afterAll(() => installation?.remove())
  const run = (...args: string[]) => runCommand(findRuntime() ?? '', installation, ...args)

  test('--version and --help answer at once', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
    const help = await run('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const command of ['start', 'demo', 'db:backup', 'db:restore', 'audit', 'whoami'])
      expect(help.stdout).toContain(`\n  ${command} `)
    const variables = await run('start', '--help')
    expect(variables).toMatchObject({ code: 0, stderr: '' })
    expect(variables.stdout).toContain('DATABASE_URL')
  })

  test('an unknown command says where the known ones are', async () => {
    const stderr = "Error: Unknown command 'serve'\n`sallyport --help` lists them.\n"
    expect(await run('serve')).toEqual({ code: 1, stdout: '', stderr })
  })

  test('start, the default, serves until SIGTERM with its data in ./data', async () => {
    const port = await findFreePort()
    const env = { HOST: '127.0.0.1', PORT: String(port) }
    const server = await startCommand(findRuntime() ?? '', installation, [], env)
    await waitUntilReady(server, () => server.stdout().includes('Sallyport serves '), 300_000)
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    await expect.poll(() => statusOf('/readyz')).toBe(200)
    expect(await Promise.all(['/', '/docs', '/docs/start', '/auth/v1/openapi.json'].map(statusOf))).toEqual([
      200, 200, 200, 200,
    ])
    expect(await server.end('SIGTERM')).toBe(0)
    expect(existsSync(join(installation.folder, 'data/encryption-key'))).toBe(true)
    const backup = await run('db:backup', 'backup.sqlite')
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(join(installation.folder, 'backup.sqlite'))).toBe(true)
  })

  test('a start that cannot succeed passes on its exit code', async () => {
    const failed = await startCommand(findRuntime() ?? '', installation, ['start'], { PORT: 'none' })
    expect(await failed.exitCode).toBe(1)
    expect(failed.stderr()).toContain('PORT')
  })

  test('demo shows one answer and ends', async () => {
    const demo = await run('demo', '--once', `--port=${await findFreePort()}`)
    expect(demo).toMatchObject({ code: 0, stderr: '' })
    expect(demo.stdout).toMatch(/simulated/i)
  })
}
