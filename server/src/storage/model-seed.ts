// Reads the first rows of the model registry and the provider catalog from the seed file beside it.

import { readFileSync } from 'node:fs'
import type { ModelSurface } from '../domain/conversation/model-surfaces.ts'
import type { JsonObject } from '../domain/json-object.ts'
import { providerSlugs, providers } from '../domain/provider.ts'
import { ownFile } from '../files/own-files.ts'
import type { Schema } from './schema.ts'

interface SeedModel {
  id: string
  provider: string
  name: string
  contextWindow: number | null
  maxOutputTokens: number | null
  streaming: boolean | null
  tools: boolean | null
  vision: boolean | null
  reasoning: boolean | null
  temperature: boolean | null
  structuredOutput: boolean | null
  chatCompletions: boolean | null
  /** Absent for chat models. */
  surfaces?: ModelSurface[]
  status: string | null
  /** The JSON that `readPriceSchedule` reads. */
  prices: JsonObject
}

/** What the adapters need to know about a model; the text in the column `capabilities`. */
export interface ModelCapabilities {
  reasoning: boolean | null
  /** False if the model rejects the parameter. */
  temperature: boolean | null
  structuredOutput: boolean | null
  /** False if the provider serves the model on another route only. */
  chatCompletions: boolean | null
  /** Null if the model is a chat model, as far as is known. */
  surfaces: readonly ModelSurface[] | null
  /** For example `deprecated`. */
  status: string | null
}

export function modelSeedRows(now: number): Schema['models'][] {
  const text = readFileSync(ownFile('storage/seed/models.json'), 'utf8')
  const { models }: { models: SeedModel[] } = JSON.parse(text)
  return models.map(model => toRow(model, now))
}

export function providerSeedRows(now: number, randomId: () => string): Schema['providers'][] {
  return providerSlugs.map(slug => ({
    id: randomId(),
    name: slug,
    slug,
    display_name: providers[slug].display_name,
    is_active: 1,
    models_endpoint_url: null,
    models_endpoint_auth_type: null,
    auth_config_schema: null,
    supported_features: null,
    created_at: now,
    updated_at: now,
  }))
}

function toRow(model: SeedModel, now: number): Schema['models'] {
  const { reasoning, temperature, structuredOutput, chatCompletions, surfaces = null, status } = model
  const capabilities: ModelCapabilities = {
    reasoning,
    temperature,
    structuredOutput,
    chatCompletions,
    surfaces,
    status,
  }
  return {
    id: model.id,
    provider_slug: model.provider,
    display_name: model.name,
    capabilities: JSON.stringify(capabilities),
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    supports_streaming: toFlag(model.streaming),
    supports_tool_use: toFlag(model.tools),
    supports_vision: toFlag(model.vision),
    prices: JSON.stringify(model.prices),
    source: 'seed',
    updated_at: now,
  }
}

function toFlag(value: boolean | null): 0 | 1 | null {
  if (value === null) return null
  return value ? 1 : 0
}
