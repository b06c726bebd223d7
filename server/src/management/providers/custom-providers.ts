// A tenant's custom providers: servers that speak OpenAI's chat-completions format, at addresses of the tenant, with
// their own models. Stored, encrypted and published as provider keys are. Must never let a key or the value of a header
// reach a log, an error or a response.

import type { Selectable } from 'kysely'
import { z } from 'zod'
import { createConcurrencyGate } from '../../crypto/concurrency-gate.ts'
import { getChecked, refuse } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { type JsonObject, parseJson } from '../../domain/json-object.ts'
import { parseModelId } from '../../domain/model-id.ts'
import { customProvider } from '../../domain/provider.ts'
import { custom, writeCustomCredential } from '../../providers/custom.ts'
import { customPresets } from '../../providers/custom-presets.ts'
import { checkKey } from '../../providers/models/check-key.ts'
import { listProviderModels, ModelListFailure } from '../../providers/models/list-models.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type ActPlace, rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { customProviderBody } from './custom-provider-body.ts'
import { createServerFinder } from './find-servers.ts'
import { removeProvider, storeProvider } from './provider-key-rows.ts'
import { countProjectsUsing, isProviderUsed } from './provider-uses.ts'
import { maxModels, showModel, shownModelSchema } from './tenant-model-fields.ts'
import { minPutMs, refuseUnlessValid, takeValidation, validationTimeoutMs } from './validate-provider.ts'

const path = '/auth/v1/tenants/:tenantId/providers/custom'
const common = { credential: 'session', owner: 'tenant' } as const

const hint = z.string().meta({ description: '`…` and the last four characters, or `…` alone if it is short' })
const shownSchema = z.object({
  slug: z.string(),
  provider_type: z.string().meta({ description: 'What the ids of its models begin with' }),
  display_name: z.string(),
  base_url: z.string(),
  api_key_hint: hint.nullable(),
  headers: z.record(z.string(), hint),
  models_discovered: z.boolean(),
  models: z.array(shownModelSchema),
  projects_using_count: z.int(),
  updated_at: z.string(),
})
const presetSchema = z.object({
  slug: z.string(),
  display_name: z.string(),
  base_url: z.string(),
  needs_key: z.boolean(),
  found: z.boolean().meta({ description: 'Whether a server answers at `base_url`; only with `find=true`' }),
})
const listQuery = z.object({
  find: z.enum(['true', 'false'], { error: 'find must be true or false' }).optional().meta({
    description:
      'Ask the usual addresses of presets without a key whether a server answers; only those that OUTBOUND_ALLOW permits',
  }),
})

type Body = z.output<typeof customProviderBody>
type Shown = z.output<typeof shownSchema>

export function customProviderRoutes(management: ManagementDependencies): Route[] {
  return [...readRoutes(management), putRoute(management), deleteRoute(management)]
}

function readRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  const findServers = createServerFinder(management)
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listCustomProviders',
      permission: 'project:read',
      summary: "List the tenant's custom providers, and suggestions for new ones",
      query: listQuery,
      answers: { 200: z.object({ data: z.array(shownSchema), presets: z.array(presetSchema) }) },
      async handle({ owned, query }) {
        const { id } = owned.tenant
        const presets =
          query.find === 'true' ? await findServers(id) : customPresets.map(preset => ({ ...preset, found: false }))
        return { status: 200, body: { data: await list(sql, id), presets } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:slug`,
      operation: 'getCustomProvider',
      permission: 'project:read',
      summary: 'Get a custom provider',
      answers: { 200: shownSchema },
      refusals: ['custom_provider_not_found'],
      async handle({ owned, params }) {
        return { status: 200, body: await getOne(sql, owned.tenant.id, params['slug'] ?? '') }
      },
    }),
  ]
}

function putRoute(management: ManagementDependencies): Route {
  const atOnce = createConcurrencyGate({ concurrency: 50, queue: 200 })
  return route({
    ...common,
    method: 'PUT',
    path: `${path}/:slug`,
    operation: 'setCustomProvider',
    audit: { action: 'provider.put', target: 'slug', read: readCustomProvider },
    permission: 'providers:write',
    summary: 'Configure a custom provider as a whole, after a check with its server; live at once',
    minMs: minPutMs,
    body: customProviderBody,
    answers: { 200: shownSchema },
    refusals: [
      'pro_required',
      'invalid_base_url',
      'validation_rate_limited',
      'key_validation_failed',
      'provider_unreachable',
      'models_not_listed',
      'busy',
    ],
    handle: input => atOnce(() => put(management, input)),
  })
}

function deleteRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:slug`,
    operation: 'deleteCustomProvider',
    audit: { action: 'provider.delete', target: 'slug', read: readCustomProvider },
    permission: 'providers:write',
    summary: 'Delete a custom provider; its models disappear at once',
    answers: { 204: null },
    refusals: ['custom_provider_not_found', 'provider_in_use'],
    async handle({ owned, params }) {
      const tenantId = owned.tenant.id
      const provider = customProvider(params['slug'] ?? '')
      await removeProvider(management, tenantId, provider, {
        missing: 'custom_provider_not_found',
        async check(trx) {
          if (await isProviderUsed(trx, tenantId, provider)) throw new Refusal('provider_in_use')
        },
      })
      return { status: 204 }
    },
  })
}

async function put(management: ManagementDependencies, { owned, params, body }: RouteInput<Body, unknown>) {
  const { id: tenantId, plan } = owned.tenant
  if (plan !== 'pro') throw new Refusal('pro_required', { upgradeUrl: management.settings.upgradeUrl })
  const slug = getSlug(params)
  const { apiKey, headers } = getCredential(body)
  const baseUrl = await getAllowedAddress(management.outbound, body.base_url)
  if (baseUrl === null) throw new Refusal('invalid_base_url')
  await takeValidation(management, tenantId)
  const credential = writeCustomCredential({ apiKey, headers })
  const models = await askServer(management, { tenantId, baseUrl, credential }, body.models)
  await storeProvider(management, {
    tenantId,
    provider: customProvider(slug),
    credential,
    last4: apiKey === null ? '' : hintOf(apiKey),
    baseUrlOverride: baseUrl,
    configured: {
      displayName: body.display_name,
      details: {
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hintOf(value)])),
        models_discovered: body.models === null,
      },
      models,
    },
  })
  return { status: 200, body: await getOne(management.sql, tenantId, slug) }
}

/** 56 characters and the prefix are as long as the provider of a model id may be. */
function getSlug({ slug = '' }: Record<string, string>): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,54}[a-z0-9])?$/.test(slug)) return slug
  return getChecked(refuse('slug must be 1-56 lower-case letters, digits and hyphens, with no hyphen at either end'))
}

function getCredential({ api_key: apiKey, headers }: Body) {
  if (apiKey !== null && Object.hasOwn(headers, 'authorization')) {
    throw new Refusal('validation_failed', { message: 'headers must not set authorization beside an api_key' })
  }
  return { apiKey, headers }
}

/** Less is shown of a short value: its last characters would be most of it. */
function hintOf(secret: string): string {
  return secret.length < 16 ? '…' : `…${secret.slice(-4)}`
}

interface Server {
  tenantId: string
  baseUrl: string
  credential: string
}

/** Checks the key, and reads the list of models unless the body names them. */
async function askServer(
  { outbound, now, clouds }: ManagementDependencies,
  { tenantId, baseUrl, credential }: Server,
  named: readonly ListedModel[] | null,
): Promise<readonly ListedModel[]> {
  const place = { adapter: custom, baseUrl, credential, guard: 'tenant' } as const
  refuseUnlessValid(await checkKey({ outbound, now, clouds, ...place, tenantId, timeoutMs: validationTimeoutMs }))
  if (named !== null) return named
  const listed = await listProviderModels({ outbound, now, clouds, tenantId }, place).catch((cause: unknown) => {
    if (!(cause instanceof ModelListFailure)) throw cause
    throw new Refusal('models_not_listed', { cause })
  })
  const usable = listed.filter(({ model }) => parseModelId(`custom-a/${model}`) !== null)
  if (usable.length === 0 || usable.length > maxModels) throw new Refusal('models_not_listed')
  return usable
}

const readProvider = rowOf('provider_keys', { tenant_id: 'tenant', provider_type: 'target' })

function readCustomProvider(sql: Database, place: ActPlace) {
  return readProvider(sql, { ...place, target: customProvider(place.target) })
}

type Database = ManagementDependencies['sql']

async function list(sql: Database, tenantId: string): Promise<Shown[]> {
  const rows = await select(sql, tenantId).where('provider_type', 'like', 'custom-%').orderBy('provider_type').execute()
  const countUsing = await countProjectsUsing(sql, tenantId)
  return rows.map(row => show(row, countUsing(row.provider_type)))
}

async function getOne(sql: Database, tenantId: string, slug: string): Promise<Shown> {
  const row = await select(sql, tenantId).where('provider_type', '=', customProvider(slug)).executeTakeFirst()
  if (row === undefined) throw new Refusal('custom_provider_not_found')
  return show(row, (await countProjectsUsing(sql, tenantId))(row.provider_type))
}

function select(sql: Database, tenantId: string) {
  return sql
    .selectFrom('provider_keys')
    .select(['provider_type', 'display_name', 'base_url_override', 'key_last4', 'details', 'models', 'key_set_at'])
    .where('tenant_id', '=', tenantId)
}

type Row = Omit<Selectable<Schema['provider_keys']>, 'id' | 'tenant_id' | 'ciphertext'>

function show(row: Row, projectsUsing: number): Shown {
  const slug = row.provider_type.slice(customProvider('').length)
  const details = parseJson(row.details ?? '{}') as JsonObject
  return {
    slug,
    provider_type: row.provider_type,
    display_name: row.display_name ?? slug,
    base_url: row.base_url_override ?? '',
    api_key_hint: row.key_last4 === '' ? null : row.key_last4,
    headers: details['headers'] as Record<string, string>,
    models_discovered: details['models_discovered'] === true,
    models: parseTenantModels(row.models ?? '[]').map(model => showModel(customProvider(slug), model)),
    projects_using_count: projectsUsing,
    updated_at: isoTime(row.key_set_at),
  }
}
