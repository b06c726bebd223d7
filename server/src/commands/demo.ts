// `npm run demo`: runs the product against a simulated provider, streams one completion, and prints the
// commands that repeat it. All files are in a temporary folder, which is deleted when the process exits.

import { fstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../app.ts'
import { findGivenPort, loadConfig } from '../config/config.ts'
import { startSimulatedProvider } from '../demo/simulated-provider.ts'
import { prepareProject, streamAnswer, type Walk } from '../demo/walk-through.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { createLog } from '../log/log.ts'

const account = { email: 'demo@localhost', password: 'only for this demo' }
const model = 'gpt-4o-mini'
/** A terminal signals npm and the demo, and npm forwards its own signal: both count as one. */
const echoMs = 1_000
const dotMs = 2_000

async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-demo-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const endings: (() => Promise<unknown>)[] = []
  try {
    await Promise.race([show(dataDir, endings), untilUnwanted()])
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

async function show(dataDir: string, endings: (() => Promise<unknown>)[]): Promise<void> {
  const provider = await startSimulatedProvider()
  endings.push(() => provider.close())
  const config = loadConfig({
    ...pickedVariables(),
    DATA_DIR: dataDir,
    BOOTSTRAP_EMAIL: account.email,
    BOOTSTRAP_PASSWORD: account.password,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-the-demo',
    PLATFORM_DEFAULT_MODEL: `openai/${model}`,
  })
  const starting = startApp(config, createLog({ level: 'warn' }))
  // Waits for a start in progress. A start that failed has already closed what it opened.
  endings.push(() =>
    starting.then(
      app => app.stop(),
      () => undefined,
    ),
  )
  await starting
  const { baseUrl } = config.addresses
  print(
    `Sallyport runs at ${baseUrl}, in front of a SIMULATED provider: no model is asked, nothing leaves this machine.\n`,
  )
  const walk = await prepareProject(baseUrl, account)
  print(`Created a tenant, the project ${walk.slug}, an API key and a token for the user demo-user. The answer:\n`)
  await streamAnswer(`${baseUrl}/p/${walk.slug}/v1`, walk.token, text => process.stdout.write(text))
  print(`\n\n${describeRepetition(baseUrl, walk)}`)
  if (process.argv.includes('--once')) return
  print(`\nThe management API's user is ${account.email} with the password: ${account.password}\nStop with Ctrl+C.`)
  if (isReadByProcess()) setInterval(() => process.stdout.write('.'), dotMs)
  await new Promise(() => undefined)
}

/** Only a write shows that the reader of a pipe or socket is gone. */
function isReadByProcess(): boolean {
  const output = fstatSync(process.stdout.fd)
  return output.isFIFO() || output.isSocket()
}

/** Ignores the environment except for the port, from `--port=` or PORT. */
function pickedVariables(): Record<string, string> {
  const port = process.argv.find(argument => argument.startsWith('--port='))
  return { PORT: port?.slice('--port='.length) ?? findGivenPort() ?? '8787' }
}

function describeRepetition(baseUrl: string, { slug, apiKey, token }: Walk): string {
  const address = `${baseUrl}/p/${slug}/v1`
  return `Repeat it with curl (the token lives a day):

curl -N ${address}/chat/completions \\
  -H 'authorization: Bearer ${token}' \\
  -H 'content-type: application/json' \\
  -d '{"stream": true, "messages": [{"role": "user", "content": "Hello"}]}'

With the OpenAI client:

const client = new OpenAI({ baseURL: '${address}', apiKey: '${token}' })
await client.chat.completions.create({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] })

A new token for another user:

curl -X POST ${baseUrl}/auth/v1/auth/mint -H 'authorization: Bearer ${apiKey}' \\
  -H 'content-type: application/json' -d '{"user_id": "somebody"}'`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(error: unknown): void {
  const words = error instanceof StartupProblem || error instanceof Error ? error.message : 'unknown error'
  process.stderr.write(`The demo ended: ${words}\n`)
  process.exit(1)
}

run().then(() => process.exit(0), fail)
