// A plane whose six providers are one scripted upstream, each under its own path, and beside it another address that a
// tenant's own choice may lead to. What the upstream says of a key is written in the key itself, so tests may run at
// once.
import type { Provider } from '../../../src/domain/provider.ts'
import { providerCases } from '../../providers/provider-cases.ts'
import type { HarnessOptions, ManagementHarness, Start } from '../../support/management-harness.ts'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamRequest,
} from '../../support/simulated/scripted-upstream.ts'

export interface ProviderStage {
  plane: ManagementHarness
  /** Stands where the six providers' addresses lead. */
  upstream: ScriptedUpstream
  /** Listed in OUTBOUND_ALLOW. */
  onPremise: ScriptedUpstream
  /** A pro tenant. */
  makeTenant(): Promise<string>
  put(tenantId: string, provider: string, body: unknown): ReturnType<ManagementHarness['call']>
}

/** 32 bytes, known to the tests. */
export const encryptionKey = Buffer.alloc(32, 7)

export const platformKey = 'sk-platform-0123456789abcdef'

export function providersPath(tenantId: string): string {
  return `/auth/v1/tenants/${tenantId}/providers`
}

let made = 0

/** A new key of the provider's shape; the word says what the upstream will make of it. */
export function makeKey(
  provider: Provider = 'openai',
  word: 'good' | 'refused' | 'limited' | 'broken' | 'cut' | 'slow' = 'good',
): string {
  const prefixes: Partial<Record<Provider, string>> = { openai: 'sk-', anthropic: 'sk-ant-', openrouter: 'sk-or-' }
  return `${prefixes[provider] ?? ''}${word}0123456789abcdefghij${String(++made).padStart(4, '0')}`
}

/** The same for all files of this worker, so that they have the same environment and share its product. */
let onPremiseOfWorker: Promise<ScriptedUpstream> | undefined

export async function startProviders(start: Start, { env, own = false }: HarnessOptions = {}): Promise<ProviderStage> {
  onPremiseOfWorker ??= startUpstream()
  const onPremise = await onPremiseOfWorker
  onPremise.reset()
  const addresses = providerCases.map(({ provider, basePath }) => [
    `${provider.toUpperCase()}_BASE_URL`,
    `{upstream}/${provider}${basePath}`,
  ])
  const plane = await start({
    own,
    env: {
      ...Object.fromEntries(addresses),
      OUTBOUND_ALLOW: onPremise.host,
      ENCRYPTION_KEY: encryptionKey.toString('base64'),
      PLATFORM_OPENAI_API_KEY: platformKey,
      SYNC_INTERVAL: '1',
      LOG_LEVEL: 'debug',
      ...env,
    },
  })
  for (const server of [plane.upstream, onPremise]) server.on('*', judgeKey)
  return {
    plane,
    upstream: plane.upstream,
    onPremise,
    makeTenant: async () => (await plane.makeTenant({ plan: 'pro' })).id,
    put: (tenantId, provider, body) =>
      plane.call('PUT', `${providersPath(tenantId)}/${provider}`, { session: plane.owner.session, body }),
  }
}

export function keyOf({ headers }: UpstreamRequest): string {
  const given = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? ''
  return String(given).replace(/^Bearer /, '')
}

function judgeKey(request: UpstreamRequest) {
  const key = keyOf(request)
  // Providers do echo keys; none of it may reach a tenant or a log.
  const body = { error: { message: `Incorrect API key provided: ${key}` } }
  if (key.includes('refused')) return { status: 401, body }
  if (key.includes('limited')) return { status: 429, body }
  if (key.includes('broken')) return { status: 500, body }
  if (key.includes('cut')) return { hangUp: true as const }
  if (key.includes('slow')) return { delayMs: 60_000, body: { data: [] } }
  return { body: { data: [] } }
}
