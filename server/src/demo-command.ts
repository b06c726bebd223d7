// `npm run demo`: the product with a provider that is simulated, one streamed completion through all of it, and the lines
// that repeat it. Everything lies in a folder of its own, which goes when the demo ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from './app.ts'
import { findGivenPort, loadConfig } from './config.ts'
import { startSimulatedProvider } from './demo/simulated-provider.ts'
import { prepareProject, streamAnswer, type Walk } from './demo/walk-through.ts'
import { StartupProblem } from './domain/startup-problem.ts'
import { createLog } from './http/log.ts'

const account = { email: 'demo@localhost', password: 'only for this demo' }
const model = 'gpt-4o-mini'

async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-demo-'))
  const provider = await startSimulatedProvider()
  const config = loadConfig({
    ...pickedVariables(),
    DATA_DIR: dataDir,
    BOOTSTRAP_EMAIL: account.email,
    BOOTSTRAP_PASSWORD: account.password,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-the-demo',
    PLATFORM_DEFAULT_MODEL: `openai/${model}`,
    LOG_LEVEL: 'warn',
  })
  const app = await startApp(config, createLog({ level: config.logLevel }))
  const end = async () => {
    await app.stop()
    await provider.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const { baseUrl } = config.addresses
  print(
    `Sallyport runs at ${baseUrl}, in front of a SIMULATED provider: no model is asked, nothing leaves this machine.\n`,
  )
  const walk = await prepareProject(baseUrl, account)
  print(`Made a tenant, the project ${walk.slug}, an API key and a token for the user demo-user. The answer:\n`)
  await streamAnswer(`${baseUrl}/p/${walk.slug}/v1`, walk.token, text => process.stdout.write(text))
  print(`\n\n${describeRepetition(baseUrl, walk)}`)
  if (process.argv.includes('--once')) return await end()
  print(`\nThe management API's user is ${account.email} with the password: ${account.password}\nStop with Ctrl+C.`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      end().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      )
    })
  }
}

/** A demo of its own: of the surroundings only the port is heard, as `--port=` or as PORT. */
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
  const words = error instanceof StartupProblem || error instanceof Error ? error.message : 'unknown fault'
  process.stderr.write(`The demo ended: ${words}\n`)
  process.exit(1)
}

run().catch(fail)
