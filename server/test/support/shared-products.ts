// Starts products for test files, and lets the files of one worker share those of the same backend and environment: they
// run until the worker ends. Each product has a scripted upstream in place of all providers.

import { startInThisProcess } from './product-in-process.ts'
import { type ScriptedUpstream, startUpstream } from './simulated/scripted-upstream.ts'
import { type Product, processesOfProduct, startProduct } from './start-product.ts'
import { type Backend, makeWorld, type World } from './worlds.ts'

/**
 * Whether no other file uses a product. `process` gives it a process of its own, too: for tests that kill it, measure it
 * or read what it prints at its start.
 */
export type Own = boolean | 'process'

export interface Installation {
  /** The product's environment. */
  env: Record<string, string>
  product: Product
  world: World
  upstream: ScriptedUpstream
  /** Stops the product, or gives it back if others share it. */
  end(): Promise<void>
}

interface Kept {
  installation: Promise<Installation>
  users: number
}

/** TEST_OWN=1 gives each file its own product, which shows whether files depend on what others left. */
const isAlwaysOwn = process.env.TEST_OWN === '1'

/** Unused products that a worker keeps: each has a thread and caches, and works a hundredth of a core. */
const maxUnused = 2

let addresses = 0

/** The address of a client that no other test of this worker has, for `X-Forwarded-For`. */
export function newClientAddress(): string {
  addresses++
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** The least recently used first. */
const kept = new Map<string, Kept>()

export const bootstrapOwner = { email: 'owner@example.com', password: 'correct horse battery staple' }
export const adminSecret = 'admin-secret-of-the-tests'

export async function openInstallation(backend: Backend, env: Record<string, string>, own: Own): Promise<Installation> {
  if (own !== false || isAlwaysOwn) return await start(backend, env, own === false ? true : own)
  const key = JSON.stringify([backend, Object.entries(env).toSorted()])
  const entry = kept.get(key) ?? { installation: start(backend, env, false), users: 0 }
  entry.users++
  kept.delete(key)
  kept.set(key, entry)
  try {
    await stopUnused()
    const installation = await entry.installation
    if (entry.users === 1) installation.upstream.reset()
    return { ...installation, product: shareOf(installation.product), end: async () => void entry.users-- }
  } catch (error) {
    kept.delete(key)
    throw error
  }
}

async function start(backend: Backend, more: Record<string, string>, own: Own): Promise<Installation> {
  const [world, upstream] = await Promise.all([makeWorld(backend, { own: own !== false }), startUpstream()])
  const end = async () => {
    await Promise.all([world.end(), upstream.close()])
  }
  const env = {
    BOOTSTRAP_EMAIL: bootstrapOwner.email,
    BOOTSTRAP_PASSWORD: bootstrapOwner.password,
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    ANTHROPIC_BASE_URL: `${upstream.url}/v1`,
    GOOGLE_BASE_URL: `${upstream.url}/v1beta`,
    OPENROUTER_BASE_URL: `${upstream.url}/v1`,
    MISTRAL_BASE_URL: `${upstream.url}/v1`,
    COHERE_BASE_URL: `${upstream.url}/v2`,
    OUTBOUND_ALLOW: upstream.host,
    // Each file calls from an address of its own, since failed attempts are counted by address.
    TRUSTED_PROXIES: '127.0.0.0/8',
    ...world.env,
    ...Object.fromEntries(
      Object.entries(more).map(([name, value]) => [name, value.replace('{upstream}', upstream.url)]),
    ),
  }
  try {
    const product = await (needsProcess(env, own) ? startProduct({ env }) : startInThisProcess(env))
    return {
      env,
      product,
      world,
      upstream,
      async end() {
        await product.stop()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** The runtime reads its own variables when a process starts. */
const needsProcess = (env: Record<string, string>, own: Own): boolean =>
  own === 'process' || processesOfProduct > 1 || Object.keys(env).some(name => name.startsWith('NODE_'))

async function stopUnused(): Promise<void> {
  const unused = [...kept].filter(([, { users }]) => users === 0)
  for (const [key, { installation }] of unused.slice(0, Math.max(0, unused.length - maxUnused))) {
    kept.delete(key)
    await (await installation).end()
  }
}

/** The product as one of its files sees it: with the output since now, and not to be stopped. */
function shareOf(product: Product): Product {
  const [stdout, stderr] = [product.stdout().length, product.stderr().length]
  const refuse = async () => {
    throw new Error('Other files use this product: start one with { own: true } to stop it.')
  }
  return {
    ...product,
    stop: refuse,
    kill: refuse,
    stdout: () => product.stdout().slice(stdout),
    stderr: () => product.stderr().slice(stderr),
  }
}
