// Starts the product under measurement as its users do: as a gateway with INFERENCE_URL at the upstream, or whole with
// the upstream as its provider; embedded, and on Redis with PostgreSQL. Verification, kill switches, both request
// limits and the token budget are on.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../server/test/support/postgres.ts'
import { startRedis } from '../server/test/support/redis.ts'
import { type ServerProcess, waitUntilReady, withFreePort } from '../server/test/support/server-process.ts'
import type { EndpointName } from './endpoints.ts'
import { measuredCoresFor, readTree, startPinned } from './process.ts'
import { type LoadToken, provision, type Quantities } from './provision.ts'
import type { Target } from './target.ts'

const ownCheckout = join(import.meta.dirname, '..')
const launcher = 'server/start.js'
const adminSecret = randomBytes(24).toString('hex')
const email = 'bench@localhost.test'
const password = randomBytes(24).toString('hex')

export interface ProductOptions {
  name: string
  about: string
  upstreamPort: number
  /** `forwarding`: INFERENCE_URL is the upstream. Otherwise the product calls the upstream as this provider. */
  answeredBy?: 'forwarding' | 'openai' | 'openai_vectors' | 'anthropic'
  /** `chat_completions` by default. */
  endpoint?: EndpointName
  quantities: Quantities
  /** The checkout to start, if it is not this one. */
  checkout?: string
  /** How many processes of the product serve the port; one by default. */
  processes?: number
  /** Further arguments of Node, such as `--cpu-prof`. */
  nodeArgs?: string[]
  env?: Record<string, string>
}

function openaiEnv(url: string, model: string): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    PLATFORM_OPENAI_API_KEY: 'sk-bench-0000000000000000000000',
    PLATFORM_DEFAULT_MODEL: model,
  }
}

/** The platform's key and model: projects need no key of their own. */
const answererEnv: Record<NonNullable<ProductOptions['answeredBy']>, (url: string) => Record<string, string>> = {
  forwarding: url => ({ INFERENCE_URL: url }),
  openai: url => openaiEnv(url, 'openai/gpt-4o-mini'),
  openai_vectors: url => openaiEnv(url, 'openai/text-embedding-3-small'),
  anthropic: url => ({
    ANTHROPIC_BASE_URL: `${url}/v1`,
    PLATFORM_ANTHROPIC_API_KEY: 'sk-ant-bench-0000000000000000000000',
    PLATFORM_DEFAULT_MODEL: 'anthropic/claude-sonnet-4-5',
  }),
}

/** In these, an answer of a provider with the same format passes unchanged. */
const passesBytes: ReadonlySet<EndpointName> = new Set(['messages', 'responses'])

export async function startEmbedded(options: ProductOptions): Promise<Target> {
  return await startMeasured(options, {}, [])
}

/** PostgreSQL and Redis share the other core with the load. */
export async function startOnRedis(options: ProductOptions): Promise<Target & { storePids: number[] }> {
  const postgres = await startPostgres()
  const redis = await startRedis()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    INTERNAL_SECRET: randomBytes(24).toString('hex'),
  }
  const target = await startMeasured(options, env, [() => redis.stop(), () => postgres.stop()])
  return { ...target, storePids: [redis.pid, postgres.pid] }
}

async function startMeasured(
  options: ProductOptions,
  env: Record<string, string>,
  closers: Array<() => Promise<void>>,
): Promise<Target> {
  const { answeredBy = 'forwarding', endpoint = 'chat_completions' } = options
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  try {
    const { port, server } = await withFreePort(async candidate => ({
      port: candidate,
      server: await startServer(options, candidate, folder, env),
    }))
    const baseUrl = `http://127.0.0.1:${port}`
    const tokens = await provision({ baseUrl, adminSecret, email, password }, options.quantities)
    const tokensFile = writeTokens(folder, tokens)
    return {
      name: options.name,
      about: `${options.about}${describeProcesses(server.pid, options.processes)}`,
      port,
      pid: server.pid,
      headers: [],
      tokensFile,
      streams: endpoint !== 'embeddings',
      isGuarded: true,
      agreesIn: answeredBy === 'forwarding' || passesBytes.has(endpoint) ? 'bytes' : 'words',
      endpoint,
      async stop() {
        await server.end('SIGTERM', 40_000)
        for (const close of closers) await close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    for (const close of closers) await close()
    throw error
  }
}

async function startServer(
  options: ProductOptions,
  port: number,
  folder: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const { upstreamPort, answeredBy = 'forwarding', checkout = ownCheckout, processes = 1 } = options
  const { nodeArgs = [], env: more = {} } = options
  const server = await startPinned({
    core: measuredCoresFor(processes, cpus().length),
    command: process.execPath,
    args: startArgs(checkout, nodeArgs),
    cwd: checkout,
    // One line for each request goes here, as in production.
    errorFile: join(folder, 'log'),
    env: {
      ...startEnv(checkout, nodeArgs),
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      ADMIN_SECRET: adminSecret,
      BOOTSTRAP_EMAIL: email,
      BOOTSTRAP_PASSWORD: password,
      ...answererEnv[answeredBy](`http://127.0.0.1:${upstreamPort}`),
      MINT_RPM: '100000',
      PROCESSES: String(processes),
      ...env,
      ...more,
    },
  })
  await waitUntilReady(server, () => answersReady(port), 30_000)
  return server
}

/** What runs, and not what was asked for: a product that does not know PROCESSES has one. */
function describeProcesses(pid: number, asked = 1): string {
  if (asked === 1) return ''
  const count = readTree(pid).length
  return `; PROCESSES=${asked}, ${count} running ${count === 1 ? 'process' : 'processes'}`
}

/**
 * As `npm start` does. Older checkouts have no build: package.json names their flags, here those for one core, as in
 * the measurement.
 */
function startArgs(checkout: string, nodeArgs: string[]): string[] {
  const flags = findOldFlags(checkout)
  if (flags !== null) return [...flags, ...nodeArgs, 'server/src/main.ts']
  return [join(checkout, launcher), 'start']
}

function startEnv(checkout: string, nodeArgs: string[]): Record<string, string> {
  if (findOldFlags(checkout) !== null) return { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }
  return nodeArgs.length === 0 ? {} : { NODE_OPTIONS: nodeArgs.join(' ') }
}

function findOldFlags(checkout: string): string[] | null {
  if (existsSync(join(checkout, launcher))) return null
  const { config, scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    config?: { node_flags: string; node_flags_of_one_core: string }
    scripts: { start: string }
  }
  const text = config === undefined ? scripts.start : `${config.node_flags} ${config.node_flags_of_one_core}`
  return text.match(/--[^\s)]+/g) ?? []
}

async function answersReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function writeTokens(folder: string, tokens: LoadToken[]): string {
  const file = join(folder, 'tokens')
  writeFileSync(file, tokens.map(({ host, token }) => `${host} ${token}\n`).join(''), { mode: 0o600 })
  return file
}
