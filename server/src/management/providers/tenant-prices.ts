// What models cost a tenant: its own prices, which replace those of the registry and of its own providers. They are
// live at once, with the document that holds the tenant's provider keys.

import { z } from 'zod'
import { getChecked, refuse } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { isModelId, providerOfModel } from '../../domain/model-id.ts'
import { type DatedPrices, readDatedPrices } from '../../domain/prices/listed-prices.ts'
import { isProviderSlug, isTenantProvider } from '../../domain/provider.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { raiseProviderKeysRevision } from '../../storage/projections.ts'
import { deleteTenantPrices, listTenantPrices, putTenantPrice } from '../../storage/tenant-prices.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import { readIsoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { checkPriceFields, pricesInput, shownPrices, showPrices } from './price-fields.ts'
import { pushProviderKeys } from './provider-key-rows.ts'

const path = '/auth/v1/tenants/:tenantId/prices'
const common = { credential: 'session', owner: 'tenant' } as const

/** All of them are in the document that the data plane reads with the provider keys. */
const maxPrices = 500
/** Before every time that a price can begin. */
const always = 0

const listSchema = z.object({ data: z.array(z.object({ model: z.string(), ...shownPrices })) })

const bodySchema = z.looseObject({}).meta({
  ...pricesInput,
  required: ['model', ...pricesInput.required],
  properties: {
    model: { type: 'string', description: 'A model ID, such as `openai/gpt-5.4`' },
    ...pricesInput.properties,
  },
  description: 'USD per million tokens',
})

const deletedSchema = z.object({
  model: z.string({ error: 'model is required' }).meta({ description: 'The model ID' }),
  effective_from: z
    .unknown()
    .meta({ type: 'string', description: 'Only the prices that begin at this time' })
    .optional(),
})

export function tenantPriceRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listTenantPrices',
      permission: 'billing:read',
      summary: 'List the prices that the tenant has set',
      answers: { 200: listSchema },
      async handle({ owned }) {
        return { status: 200, body: await list(sql, owned.tenant.id) }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      operation: 'setTenantPrice',
      audit: { action: 'price.put', read: readPrices },
      permission: 'billing:write',
      summary: 'Set what a model costs the tenant; live at once, or from a time on',
      body: bodySchema,
      answers: { 200: listSchema },
      refusals: ['priced_model_not_found'],
      async handle({ owned, body }) {
        const model = getModel(body)
        const listed = getChecked(checkPriceFields(body, ''))
        await refuseUnlisted(sql, model)
        await setPrice(management, owned.tenant.id, { model, listed })
        return { status: 200, body: await list(sql, owned.tenant.id) }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      operation: 'deleteTenantPrices',
      audit: { action: 'price.delete', read: readPrices },
      permission: 'billing:write',
      summary: 'Delete the prices of a model, which then costs what the registry or its provider says',
      query: deletedSchema,
      answers: { 204: null },
      refusals: ['price_not_found'],
      async handle({ owned, query }) {
        await deletePrices(management, owned.tenant.id, { model: query.model, from: query.effective_from })
        return { status: 204 }
      },
    }),
  ]
}

/** All prices of the tenant: a price without a time replaces those that began earlier. */
async function readPrices(sql: ManagementDependencies['sql'], { tenant }: ActPlace): Promise<JsonObject> {
  const rows = await listTenantPrices(sql, tenant)
  const from = (at: number) => (at === always ? '' : ` from ${new Date(at).toISOString()}`)
  return Object.fromEntries(rows.map(({ model, effective_at, prices }) => [`${model}${from(effective_at)}`, prices]))
}

function getModel({ model }: JsonObject): string {
  const isKnown = typeof model === 'string' && isModelId(model) && isProviderSlug(providerOfModel(model) ?? '')
  return isKnown ? model : getChecked(refuse('model must be a model ID, such as openai/gpt-5.4'))
}

/** A misspelt model would never be billed at its price. The models of a tenant's own providers may come later. */
async function refuseUnlisted(sql: ManagementDependencies['sql'], model: string): Promise<void> {
  if (isTenantProvider(providerOfModel(model) ?? '')) return
  const listed = await sql.selectFrom('models').select('id').where('id', '=', model).executeTakeFirst()
  if (listed === undefined) throw new Refusal('priced_model_not_found')
}

async function list(sql: ManagementDependencies['sql'], tenantId: string): Promise<z.output<typeof listSchema>> {
  const rows = await listTenantPrices(sql, tenantId)
  return { data: rows.map(({ model, prices }) => ({ model, ...showPrices(readDatedPrices(JSON.parse(prices))) })) }
}

interface NewPrice {
  model: string
  listed: DatedPrices
}

async function setPrice(management: ManagementDependencies, tenantId: string, { model, listed }: NewPrice) {
  const { sql, now } = management
  noteAct({ target: { id: model } })
  const updatedAt = now()
  const begins = listed.effectiveFrom === null ? always : Date.parse(listed.effectiveFrom)
  await transact(sql, async trx => {
    await raiseProviderKeysRevision(trx, tenantId)
    const prices = JSON.stringify(listed)
    const row = { tenant_id: tenantId, model, effective_at: begins, prices, updated_at: updatedAt }
    // Without a time the prices apply at once: none that began earlier may come before them.
    await putTenantPrice(trx, row, listed.effectiveFrom === null ? updatedAt : null)
    if ((await listTenantPrices(trx, tenantId)).length > maxPrices) {
      throw new Refusal('validation_failed', { message: `A tenant has at most ${maxPrices} prices` })
    }
    const data = { model, input: listed.input ?? 0, output: listed.output ?? 0 }
    await recordTenantEvent(trx, { tenantId, projectId: null, at: updatedAt }, { type: 'price_set', data })
  })
  await pushProviderKeys(management, tenantId)
}

async function deletePrices(
  management: ManagementDependencies,
  tenantId: string,
  { model, from }: { model: string; from: unknown },
): Promise<void> {
  const time = readIsoTime(from)
  if (from !== undefined && time === null) getChecked(refuse('effective_from must be an ISO 8601 time'))
  noteAct({ target: { id: model } })
  const at = management.now()
  await transact(management.sql, async trx => {
    await raiseProviderKeysRevision(trx, tenantId)
    const deleted = await deleteTenantPrices(trx, { tenantId, model, effectiveAt: time?.millis ?? null })
    if (deleted === 0) throw new Refusal('price_not_found')
    const data = { model }
    await recordTenantEvent(trx, { tenantId, projectId: null, at }, { type: 'price_deleted', data })
  })
  await pushProviderKeys(management, tenantId)
}
