// Updates the registry from a provider's list of models. A list has less detail than the seed, so it only fills gaps in
// seeded rows; rows that came from a list are updated. Models that are no longer listed are kept.

import type { Selectable, Transaction } from 'kysely'
import { parseModelId } from '../../domain/model-id.ts'
import { noPrices } from '../../domain/prices/listed-prices.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import type { ModelCapabilities } from '../../storage/model-seed.ts'
import { modelsRevision, raiseRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'

type ModelRow = Selectable<Schema['models']>

const rowsPerStatement = 50

export async function upsertListedModels(
  { sql, now }: Pick<ManagementDependencies, 'sql' | 'now'>,
  providerSlug: string,
  listed: readonly ListedModel[],
) {
  const usable = listed.filter(({ model }) => parseModelId(`${providerSlug}/${model}`) !== null)
  const rows = usable.map(model => modelRow(providerSlug, model, now()))
  const added = await transact(sql, async trx => {
    // Locks the provider's row, so that syncs of one provider run one after the other.
    await trx.updateTable('providers').set({ updated_at: now() }).where('slug', '=', providerSlug).execute()
    let known = 0
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      known += await upsert(trx, rows.slice(start, start + rowsPerStatement))
    }
    // Raised last, because this lock makes the syncs of all providers wait for each other.
    await raiseRevision(trx, modelsRevision)
    return rows.length - known
  })
  return { discovered: rows.length, added, updated: rows.length - added, models: rows.map(row => row.id) }
}

/** Returns how many of the models were already known. */
async function upsert(trx: Transaction<Schema>, listed: readonly ModelRow[]): Promise<number> {
  const ids = listed.map(row => row.id)
  const known = await trx.selectFrom('models').selectAll().where('id', 'in', ids).execute()
  const knownById = new Map(known.map(row => [row.id, row]))
  const rows = listed.map(row => merge(knownById.get(row.id), row))
  await trx
    .insertInto('models')
    .values(rows)
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(row => ({
        display_name: row.ref('excluded.display_name'),
        capabilities: row.ref('excluded.capabilities'),
        context_window: row.ref('excluded.context_window'),
        max_output_tokens: row.ref('excluded.max_output_tokens'),
        supports_streaming: row.ref('excluded.supports_streaming'),
        supports_tool_use: row.ref('excluded.supports_tool_use'),
        supports_vision: row.ref('excluded.supports_vision'),
        prices: row.ref('excluded.prices'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute()
  return known.length
}

function merge(known: ModelRow | undefined, listed: ModelRow): ModelRow {
  if (known === undefined) return listed
  const [first, second] = known.source === 'sync' ? [listed, known] : [known, listed]
  return {
    ...known,
    display_name: first.display_name,
    capabilities: mergeJson(first.capabilities, second.capabilities),
    context_window: first.context_window ?? second.context_window,
    max_output_tokens: first.max_output_tokens ?? second.max_output_tokens,
    supports_streaming: first.supports_streaming ?? second.supports_streaming,
    supports_tool_use: first.supports_tool_use ?? second.supports_tool_use,
    supports_vision: first.supports_vision ?? second.supports_vision,
    prices: mergeJson(first.prices, second.prices),
    updated_at: listed.updated_at,
  }
}

/** The fields of the first object; the known ones of the second where the first has none or null. */
function mergeJson(first: string, second: string): string {
  const merged: Record<string, unknown> = JSON.parse(first)
  for (const [name, value] of Object.entries(JSON.parse(second))) {
    if (value !== null) merged[name] ??= value
  }
  return JSON.stringify(merged)
}

export function modelRow(providerSlug: string, listed: ListedModel, updatedAt: number): ModelRow {
  const { reasoning, temperature, structuredOutput, surfaces, status } = listed
  const capabilities: ModelCapabilities = {
    reasoning,
    temperature,
    structuredOutput,
    chatCompletions: surfaces === null ? null : surfaces.includes('chat_completions'),
    surfaces,
    status,
  }
  const prices = { ...(listed.prices ?? noPrices), steps: [] }
  return {
    id: `${providerSlug}/${listed.model}`,
    provider_slug: providerSlug,
    display_name: cleanDisplayName(listed.displayName) ?? listed.model,
    capabilities: JSON.stringify(capabilities),
    context_window: listed.contextWindow,
    max_output_tokens: listed.maxOutputTokens,
    supports_streaming: toFlag(listed.streaming),
    supports_tool_use: toFlag(listed.tools),
    supports_vision: toFlag(listed.vision),
    prices: JSON.stringify(prices),
    source: 'sync',
    updated_at: updatedAt,
  }
}

/** Limits the length of third-party text and removes control characters, which one of the databases rejects. */
function cleanDisplayName(text: string | null): string | null {
  return text?.replace(/\p{C}/gu, '').trim().slice(0, 255) || null
}

function toFlag(value: boolean | null): 0 | 1 | null {
  if (value === null) return null
  return value ? 1 : 0
}
