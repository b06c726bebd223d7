// A tenant's own provider keys: checked with the provider, stored as ciphertext, live at once. The database is the
// source of truth; the store holds all ciphertexts of a tenant as one document, which the worker pushes again if a push
// failed. Must never let a key reach a log, an error or a response.

import { z } from 'zod'
import { createConcurrencyGate } from '../../crypto/concurrency-gate.ts'
import { Refusal } from '../../domain/errors.ts'
import { checkProviderKey, isProvider, isProviderSlug, keyLast4, type Provider } from '../../domain/provider.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import { checkKey, type KeyVerdict } from '../../providers/models/check-key.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { removeProvider, storeProvider } from './provider-key-rows.ts'
import { countProjectsUsing } from './provider-uses.ts'
import {
  minPutMs,
  refuseUnlessValid,
  showVerdict,
  takeValidation,
  validationTimeoutMs,
  verdictSchema,
} from './validate-provider.ts'

const path = '/auth/v1/tenants/:tenantId/providers'
const common = { credential: 'session', owner: 'tenant' } as const

const bodySchema = z.looseObject({}).meta({
  properties: {
    api_key: { type: 'string', description: '20 to 512 printable ASCII characters without white space' },
    base_url_override: { type: 'string', description: "Base URL used instead of the provider's own; empty for none" },
  },
  required: ['api_key'],
})
const providerSchema = z.object({
  provider_type: z.string(),
  key_last4: z.string(),
  key_set_at: z.string(),
  projects_using_count: z.int(),
})
const storedSchema = z.object({
  configured: z.literal(true),
  provider_type: z.string(),
  key_last4: z.string(),
  key_set_at: z.string(),
})

type Input = RouteInput<z.output<typeof bodySchema>, unknown>

export function providerKeyRoutes(management: ManagementDependencies): Route[] {
  return [listRoute(management), putRoute(management), deleteRoute(management), validateRoute(management)]
}

function listRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'GET',
    path,
    operation: 'listProviderKeys',
    permission: 'project:read',
    summary:
      "List the tenant's provider keys; with fields=types only the configured providers, as the gateway knows them",
    query: z.object({ fields: z.enum(['types'], { error: 'fields must be: types' }).optional() }),
    answers: {
      200: z.union([
        z.object({ providers: z.array(providerSchema) }),
        z.object({ provider_types: z.array(z.string()) }),
      ]),
    },
    refusals: ['store_unavailable'],
    async handle({ owned, query }) {
      const { id } = owned.tenant
      if (query.fields === 'types')
        return { status: 200, body: { provider_types: await listLiveTypes(management, id) } }
      return { status: 200, body: { providers: await listKeys(management, id) } }
    },
  })
}

function putRoute(management: ManagementDependencies): Route {
  const { outbound, settings } = management
  const atOnce = createConcurrencyGate({ concurrency: 50, queue: 200 })

  async function put({ owned, params, body }: Input) {
    const provider = getProvider(params)
    const { id: tenantId, plan } = owned.tenant
    const { upgradeUrl } = settings
    if (plan !== 'pro') throw new Refusal('pro_required', { upgradeUrl })
    const key = getKey(provider, body)
    const baseUrlOverride = await getAllowedAddress(outbound, body['base_url_override'])
    await takeValidation(management, tenantId)
    refuseUnlessValid(await askProvider(management, { tenantId, provider, key, baseUrlOverride }))
    const stored = await storeProvider(management, {
      tenantId,
      provider,
      credential: key,
      last4: keyLast4(key),
      baseUrlOverride,
    })
    return { status: 200, body: { configured: true, ...stored, key_set_at: isoTime(stored.key_set_at) } }
  }

  return route({
    ...common,
    method: 'PUT',
    path: `${path}/:providerType`,
    operation: 'setProviderKey',
    audit: {
      action: 'provider.put',
      target: 'providerType',
      read: rowOf('provider_keys', { tenant_id: 'tenant', provider_type: 'target' }),
    },
    permission: 'providers:write',
    summary: 'Store a provider key after a check with the provider',
    minMs: minPutMs,
    body: bodySchema,
    answers: { 200: storedSchema },
    refusals: [
      'unsupported_provider',
      'pro_required',
      'invalid_key_format',
      'invalid_base_url',
      'validation_rate_limited',
      'key_validation_failed',
      'provider_unreachable',
      'busy',
    ],
    handle: input => atOnce(() => put(input)),
  })
}

function deleteRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:providerType`,
    operation: 'deleteProviderKey',
    audit: {
      action: 'provider.delete',
      target: 'providerType',
      read: rowOf('provider_keys', { tenant_id: 'tenant', provider_type: 'target' }),
    },
    permission: 'providers:write',
    summary: 'Delete a provider key; it stops working at once',
    answers: { 204: null },
    refusals: ['no_provider_key'],
    async handle({ owned, params }) {
      const { providerType = '' } = params
      if (!isProvider(providerType)) throw new Refusal('no_provider_key')
      await removeProvider(management, owned.tenant.id, providerType, { missing: 'no_provider_key' })
      return { status: 204 }
    },
  })
}

function validateRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'POST',
    path: `${path}/:providerType/validate`,
    operation: 'validateProviderKey',
    audit: null,
    permission: 'providers:write',
    summary: 'Check a key with the provider without storing it',
    body: bodySchema,
    answers: { 200: verdictSchema },
    refusals: ['unsupported_provider', 'invalid_key_format', 'invalid_base_url', 'validation_rate_limited'],
    async handle({ owned, params, body }) {
      const provider = getProvider(params)
      const tenantId = owned.tenant.id
      if (typeof body['api_key'] !== 'string') getKey(provider, body)
      const key = checkProviderKey(provider, body['api_key'], { hasBaseUrlOverride: hasOverride(body) })
      if (!key.ok) return { status: 200, body: showVerdict('invalid_key') }
      const baseUrlOverride = await getAllowedAddress(management.outbound, body['base_url_override'])
      await takeValidation(management, tenantId)
      const verdict = await askProvider(management, { tenantId, provider, key: key.value, baseUrlOverride })
      return { status: 200, body: showVerdict(verdict) }
    },
  })
}

function getProvider({ providerType = '' }: Record<string, string>): Provider {
  if (!isProvider(providerType)) throw new Refusal('unsupported_provider')
  return providerType
}

function getKey(provider: Provider, body: Record<string, unknown>): string {
  const key = checkProviderKey(provider, body['api_key'], { hasBaseUrlOverride: hasOverride(body) })
  if (!key.ok) throw new Refusal('invalid_key_format', { message: key.message })
  return key.value
}

function hasOverride({ base_url_override: value }: Record<string, unknown>): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

interface KeyOffer {
  tenantId: string
  provider: Provider
  key: string
  baseUrlOverride: string | null
}

async function askProvider(
  { outbound, settings, now, clouds }: ManagementDependencies,
  offer: KeyOffer,
): Promise<KeyVerdict> {
  const { tenantId, provider, key, baseUrlOverride } = offer
  return await checkKey({
    outbound,
    now,
    clouds,
    adapter: providerRegistry[provider].adapter,
    baseUrl: baseUrlOverride ?? settings.providers[provider].baseUrl,
    credential: key,
    guard: baseUrlOverride === null ? 'operator' : 'tenant',
    tenantId,
    timeoutMs: validationTimeoutMs,
  })
}

async function listKeys({ sql }: ManagementDependencies, tenantId: string) {
  const keys = await sql
    .selectFrom('provider_keys')
    .select(['provider_type', 'key_last4', 'key_set_at'])
    .where('tenant_id', '=', tenantId)
    // Custom providers have routes of their own.
    .where('provider_type', 'not like', 'custom-%')
    .orderBy('provider_type')
    .execute()
  const countUsing = await countProjectsUsing(sql, tenantId)
  return keys.map(key => ({
    ...key,
    key_set_at: isoTime(key.key_set_at),
    projects_using_count: countUsing(key.provider_type),
  }))
}

/** Reads the store, as the gateway does. A missing document means no keys only if the store is complete. */
async function listLiveTypes({ kv }: ManagementDependencies, tenantId: string): Promise<string[]> {
  try {
    const known = await kv.findProviderKeys(tenantId)
    // The store may have been filled between the two reads.
    const keys = known ?? ((await kv.isSeeded()) ? ((await kv.findProviderKeys(tenantId)) ?? { body: '{}' }) : null)
    if (keys !== null) return Object.keys(JSON.parse(keys.body)).filter(isProviderSlug).sort()
  } catch (cause) {
    if (!(cause instanceof StoreUnavailable)) throw cause
    throw new Refusal('store_unavailable', { cause })
  }
  throw new Refusal('store_unavailable')
}
