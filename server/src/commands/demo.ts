// `npm run demo`: runs the product against a simulated provider, shows masking, a blocked prompt injection, a limit and
// a kill switch, and prints the commands that repeat them. All files are in a temporary folder, deleted however it
// ends.

import { fstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../app.ts'
import { findGiven, loadConfig } from '../config/config.ts'
import { demoSettings, prepareProject } from '../demo/prepare-project.ts'
import { describeRepetition } from '../demo/repetition.ts'
import { createScreen } from '../demo/screen.ts'
import { startSimulatedProvider } from '../demo/simulated-provider.ts'
import { runSteps } from '../demo/steps.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { createLog } from '../log/log.ts'
import { type Arguments, readArguments } from './arguments.ts'

const account = { email: 'demo@localhost', password: 'only for this demo' }
const model = 'gpt-4o-mini'
/** A terminal signals npm and the demo, and npm forwards its own signal: both count as one. */
const echoMs = 1_000
const dotMs = 2_000

const usage = `Usage: npm run demo [-- --port PORT] [-- --once], or sallyport demo [--port PORT] [--once]

Runs Sallyport in front of a simulated provider, with temporary data, and shows what it does.
  --port PORT   the port to listen on; by default PORT of the environment, else 8787
  --once        ends after the last step
  --help        shows this text
OUTBOUND_ALLOW of the environment lets it reach a server of your own, such as localhost:11434.`

async function run({ flags, values }: Arguments): Promise<void> {
  if (flags.has('--help')) {
    process.stdout.write(`${usage}\n`)
    return
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-demo-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const endings: (() => Promise<unknown>)[] = []
  try {
    const port = values.get('--port') ?? findGiven('PORT') ?? '8787'
    const shown = show({ dataDir, port, isOnce: flags.has('--once') }, endings)
    await Promise.race([shown, untilUnwanted()])
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

/** Resolves at a signal, or when the reader of the output is gone. */
function untilUnwanted(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let signalledAt: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      signalledAt ??= performance.now()
      if (performance.now() - signalledAt > echoMs) process.exit(1)
      resolve()
    })
  }
  for (const output of [process.stdout, process.stderr]) output.on('error', () => resolve())
  return promise
}

interface Showing {
  dataDir: string
  port: string
  /** Whether to end after the last step. */
  isOnce: boolean
}

async function show({ dataDir, port, isOnce }: Showing, endings: (() => Promise<unknown>)[]): Promise<void> {
  const provider = await startSimulatedProvider()
  endings.push(() => provider.close())
  // The rest of the environment is ignored.
  const config = loadConfig({
    PORT: port,
    DATA_DIR: dataDir,
    BOOTSTRAP_EMAIL: account.email,
    BOOTSTRAP_PASSWORD: account.password,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-the-demo',
    PLATFORM_DEFAULT_MODEL: `openai/${model}`,
    OUTBOUND_ALLOW: findGiven('OUTBOUND_ALLOW') ?? undefined,
  })
  // Setting a kill switch is a warning.
  const starting = startApp(config, createLog({ level: 'error' }))
  // A start that is under way is waited for; one that fails has ended what it began.
  endings.push(() =>
    starting.then(
      app => app.stop(),
      () => undefined,
    ),
  )
  await starting
  const requests = new AbortController()
  // Before the stop, which would wait for them.
  endings.push(async () => requests.abort())
  const { baseUrl } = config.addresses
  const screen = createScreen(process.stdout)
  screen.print(
    `Sallyport runs at ${baseUrl}, in front of a SIMULATED provider: no model is asked, nothing leaves this machine.\n`,
  )
  const client = { baseUrl, signal: requests.signal }
  const project = await prepareProject(client, account)
  screen.print(`Created the project ${project.slug}, and deployed its settings:\n  ${JSON.stringify(demoSettings)}`)
  const adminSecretFile = join(dataDir, 'admin-secret')
  const adminSecret = readFileSync(adminSecretFile, 'utf8').trim()
  await runSteps({ client, project, provider, adminSecret, screen })
  screen.print(`\n${describeRepetition({ baseUrl, project, adminSecretFile, model })}`)
  if (isOnce) return
  screen.print(
    `\nThe dashboard: open ${baseUrl} and sign in as ${account.email} with the password: ${account.password}\n` +
      'Stop with Ctrl+C.',
  )
  if (isReadByProcess()) setInterval(() => process.stdout.write('.'), dotMs)
  await new Promise(() => undefined)
}

/** Only a write shows that the reader of a pipe or socket is gone. */
function isReadByProcess(): boolean {
  const output = fstatSync(process.stdout.fd)
  return output.isFIFO() || output.isSocket()
}

function fail(error: unknown): never {
  const words = error instanceof StartupProblem || error instanceof Error ? error.message : 'unknown error'
  process.stderr.write(`The demo ended: ${words}\n`)
  process.exit(1)
}

function readGiven(): Arguments {
  try {
    return readArguments(process.argv.slice(2), { flags: ['--once', '--help'], values: ['--port'], maxWords: 0 })
  } catch (error) {
    if (!(error instanceof StartupProblem)) throw error
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    process.exit(2)
  }
}

run(readGiven()).then(() => process.exit(0), fail)
