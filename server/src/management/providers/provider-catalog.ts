// The operator's catalog of providers, and the sync of their models into the registry.

import type { Selectable } from 'kysely'
import { z } from 'zod'
import { accept, refuse } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { Refusal } from '../../domain/errors.ts'
import { isProvider } from '../../domain/provider.ts'
import { listEndpointModels, listProviderModels, ModelListFailure } from '../../providers/models/list-models.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'
import { checked, checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { upsertListedModels } from './upsert-models.ts'

const path = '/auth/v1/admin/providers'
const common = { credential: 'admin-secret', owner: 'none' } as const

const slugShape = /^[a-z0-9][a-z0-9_-]{0,62}$/
const checkSlug = checked<string>({ type: 'string', pattern: slugShape.source }, value => {
  if (typeof value !== 'string' || value.trim() === '') return refuse('slug is required')
  if (slugShape.test(value)) return accept(value)
  return refuse('slug must be 1-63 lower-case letters, digits, hyphens and underscores')
})
const checkDisplayName = checked<string>({ type: 'string', minLength: 1, maxLength: 255 }, value => {
  const name = cleanName(value)
  return name.ok ? name : refuse(name.message.replace(/^name/, 'displayName'))
})
const object = (field: string) => z.record(z.string(), z.unknown(), { error: `${field} must be an object` }).nullish()
const endpointAuthTypes = ['bearer', 'x-api-key', 'x-goog-api-key', 'none'] as const
const authTypeMessage = `modelsEndpointAuthType must be one of: ${endpointAuthTypes.join(', ')}`

const bodySchema = z.object({
  name: checkName,
  slug: checkSlug,
  displayName: checkDisplayName,
  modelsEndpointUrl: z.unknown().meta({ type: 'string', format: 'uri' }).optional(),
  modelsEndpointAuthType: z.enum(endpointAuthTypes, { error: authTypeMessage }).nullish().meta({
    description: 'Stored with the entry only; its endpoint is called without a key, because the catalog has no keys',
  }),
  authConfigSchema: object('authConfigSchema'),
  supportedFeatures: object('supportedFeatures'),
})
const entrySchema = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  display_name: z.string(),
  is_active: z.boolean(),
  model_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
})
const syncedSchema = z.object({
  provider: z.string(),
  discovered: z.int(),
  added: z.int(),
  updated: z.int().meta({ description: 'Models that were known already; added + updated = discovered' }),
  models: z.array(z.string()),
})

export function providerCatalogRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listProviders',
      summary: 'List the provider catalog',
      answers: { 200: z.object({ providers: z.array(entrySchema) }) },
      async handle() {
        const rows = await sql.selectFrom('providers').selectAll().orderBy('created_at').orderBy('slug').execute()
        const counts = await sql
          .selectFrom('models')
          .select(row => ['provider_slug', row.fn.countAll<number>().as('count')])
          .groupBy('provider_slug')
          .execute()
        const countOf = new Map(counts.map(row => [row.provider_slug, row.count]))
        return { status: 200, body: { providers: rows.map(row => show(row, countOf.get(row.slug) ?? 0)) } }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'createProvider',
      audit: { action: 'catalog_provider.create', read: rowOf('providers', { id: 'target' }) },
      summary: 'Add a provider to the catalog',
      body: bodySchema,
      answers: { 201: entrySchema },
      refusals: ['invalid_base_url', 'provider_taken'],
      idempotency: 'replay',
      handle: async ({ body }) => ({ status: 201, body: show(await addProvider(management, body), 0) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/:providerId/sync-models`,
      operation: 'syncProviderModels',
      audit: { action: 'catalog_provider.sync_models', target: 'providerId' },
      summary: "Update the model registry from the provider's list of models",
      answers: { 200: syncedSchema },
      refusals: ['provider_not_found', 'no_models_endpoint', 'provider_unreachable'],
      handle: async ({ params }) => ({ status: 200, body: await syncModels(management, params['providerId'] ?? '') }),
    }),
  ]
}

type ProviderRow = Selectable<Schema['providers']>

function show(row: ProviderRow, modelCount: number) {
  return {
    ...row,
    is_active: row.is_active === 1,
    model_count: modelCount,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

async function addProvider(
  management: ManagementDependencies,
  body: z.output<typeof bodySchema>,
): Promise<ProviderRow> {
  const { sql, outbound, now, randomId } = management
  const endpoint = await getAllowedAddress(outbound, body.modelsEndpointUrl)
  const asText = (value: object | null | undefined) => (value == null ? null : JSON.stringify(value))
  const id = randomId()
  const row = await transact(sql, trx => {
    noteAct({ target: { id } })
    return trx
      .insertInto('providers')
      .values({
        id,
        name: body.name,
        slug: body.slug,
        display_name: body.displayName,
        is_active: 1,
        models_endpoint_url: endpoint,
        models_endpoint_auth_type: body.modelsEndpointAuthType ?? null,
        auth_config_schema: asText(body.authConfigSchema),
        supported_features: asText(body.supportedFeatures),
        created_at: now(),
        updated_at: now(),
      })
      .onConflict(conflict => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
  })
  if (row === undefined) throw new Refusal('provider_taken')
  return row
}

async function syncModels(management: ManagementDependencies, providerId: string) {
  const { sql } = management
  const provider = await sql.selectFrom('providers').selectAll().where('id', '=', providerId).executeTakeFirst()
  if (provider === undefined) throw new Refusal('provider_not_found')
  const listed = await listModels(management, provider)
  return { provider: provider.slug, ...(await upsertListedModels(management, provider.slug, listed)) }
}

async function listModels(
  { outbound, settings, now, clouds }: ManagementDependencies,
  provider: ProviderRow,
): Promise<ListedModel[]> {
  const { slug, models_endpoint_url: url } = provider
  try {
    if (isProvider(slug)) {
      const { baseUrl, platformKey: credential } = settings.providers[slug]
      const { adapter } = providerRegistry[slug]
      return await listProviderModels({ outbound, now, clouds }, { adapter, baseUrl, credential, guard: 'operator' })
    }
    if (url === null) throw new Refusal('no_models_endpoint')
    return await listEndpointModels(outbound, url)
  } catch (cause) {
    if (!(cause instanceof ModelListFailure)) throw cause
    throw new Refusal('provider_unreachable', { cause })
  }
}
