// The models that a tenant names for its own provider: their description in bodies and responses, and their checks.

import { z } from 'zod'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { type ModelSurface, modelSurfaces, readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import { parseModelId } from '../../domain/model-id.ts'
import type { DatedPrices } from '../../domain/prices/listed-prices.ts'
import type { ProviderSlug } from '../../domain/provider.ts'
import { type ListedModel, listedModel } from '../../providers/models/model-page.ts'
import { checkPriceFields, priceFields, pricesInput, shownPrices, showPrices } from './price-fields.ts'

export const maxModels = 500
const maxTokens = 1_000_000_000

const flags = ['streaming', 'tools', 'vision', 'reasoning', 'structured_output', 'temperature'] as const
type Flags = Record<(typeof flags)[number], boolean | null>

const flagSchema = z.boolean().nullable()

/** A model in responses. */
export const shownModelSchema = z.object({
  id: z.string(),
  model_id: z.string().meta({ description: 'What settings and requests name' }),
  display_name: z.string().nullable(),
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  capabilities: z.object({
    streaming: flagSchema,
    tools: flagSchema,
    vision: flagSchema,
    reasoning: flagSchema,
    structured_output: flagSchema,
    temperature: flagSchema,
    surfaces: z.array(z.enum(modelSurfaces)),
  }),
  prices: z.object(shownPrices).nullable().meta({ description: 'USD per million tokens' }),
})

export function showModel(provider: ProviderSlug, model: ListedModel): z.output<typeof shownModelSchema> {
  const { streaming, tools, vision, reasoning, structuredOutput, temperature } = model
  const surfaces = [...(model.surfaces ?? readModelSurfaces({}))]
  return {
    id: model.model,
    model_id: `${provider}/${model.model}`,
    display_name: model.displayName,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    capabilities: { streaming, tools, vision, reasoning, structured_output: structuredOutput, temperature, surfaces },
    prices: model.prices && showPrices(model.prices),
  }
}

export const modelInput = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', description: "The server's own name of the model" },
    display_name: { type: 'string' },
    context_window: { type: 'integer' },
    max_output_tokens: { type: 'integer' },
    capabilities: {
      type: 'object',
      properties: {
        ...Object.fromEntries(flags.map(flag => [flag, { type: 'boolean' }])),
        surfaces: {
          type: 'array',
          items: { type: 'string', enum: modelSurfaces },
          description: 'Which endpoints it answers; all but embeddings where absent',
        },
      },
      description: 'What the model takes; unknown where absent',
    },
    prices: pricesInput,
  },
}

/** `field` is the name of the list in the body. */
export function checkModels(value: unknown, field: string): Checked<ListedModel[]> {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxModels) {
    return refuse(`${field} must be an array of 1-${maxModels} objects`)
  }
  const models = new Map<string, ListedModel>()
  for (const [index, entry] of value.entries()) {
    const model = checkModel(entry, `${field}[${index}]`)
    if (!model.ok) return model
    if (models.has(model.value.model)) return refuse(`${field}[${index}].id is given twice`)
    models.set(model.value.model, model.value)
  }
  return accept([...models.values()])
}

function checkModel(entry: unknown, path: string): Checked<ListedModel> {
  if (!isJsonObject(entry)) return refuse(`${path} must be an object`)
  const { id } = entry
  if (typeof id !== 'string' || parseModelId(`custom-a/${id}`) === null) {
    return refuse(`${path}.id must be 1-255 printable ASCII characters without white space`)
  }
  const name = entry['display_name'] == null ? accept(null) : cleanName(entry['display_name'], `${path}.display_name`)
  const contextWindow = checkTokens(entry, 'context_window', path)
  const maxOutputTokens = checkTokens(entry, 'max_output_tokens', path)
  const capabilities = checkCapabilities(entry['capabilities'], `${path}.capabilities`)
  const priced = checkPrices(entry['prices'], `${path}.prices`)
  if (!name.ok) return name
  if (!contextWindow.ok) return contextWindow
  if (!maxOutputTokens.ok) return maxOutputTokens
  if (!capabilities.ok) return capabilities
  if (!priced.ok) return priced
  const { structured_output: structuredOutput, ...others } = capabilities.value
  return accept(
    listedModel({
      model: id,
      displayName: name.value,
      contextWindow: contextWindow.value,
      maxOutputTokens: maxOutputTokens.value,
      ...others,
      structuredOutput,
      prices: priced.value,
    }),
  )
}

function checkTokens(entry: JsonObject, field: string, path: string): Checked<number | null> {
  const value = entry[field] ?? null
  if (value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxTokens)) {
    return accept(value as number | null)
  }
  return refuse(`${path}.${field} must be an integer of 1-${maxTokens}`)
}

type Capabilities = Flags & { surfaces: readonly ModelSurface[] | null }

function checkCapabilities(value: unknown, path: string): Checked<Capabilities> {
  const given = value ?? {}
  if (!isJsonObject(given)) return refuse(`${path} must be an object`)
  const known: readonly string[] = [...flags, 'surfaces']
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined) return refuse(`${path} must have only: ${known.join(', ')}`)
  const wrong = flags.find(flag => typeof (given[flag] ?? true) !== 'boolean')
  if (wrong !== undefined) return refuse(`${path}.${wrong} must be a boolean`)
  const surfaces = checkSurfaces(given['surfaces'] ?? null, `${path}.surfaces`)
  if (!surfaces.ok) return surfaces
  const found = Object.fromEntries(flags.map(flag => [flag, given[flag] ?? null])) as Flags
  return accept({ ...found, surfaces: surfaces.value })
}

function checkSurfaces(value: unknown, path: string): Checked<readonly ModelSurface[] | null> {
  if (value === null) return accept(null)
  const named = Array.isArray(value) ? modelSurfaces.filter(surface => value.includes(surface)) : []
  const isWhole = Array.isArray(value) && value.length > 0 && value.length === named.length
  return isWhole ? accept(named) : refuse(`${path} must name some of: ${modelSurfaces.join(', ')}`)
}

function checkPrices(value: unknown, path: string): Checked<DatedPrices | null> {
  if (value === undefined || value === null) return accept(null)
  if (!isJsonObject(value)) return refuse(`${path} must be an object`)
  const unknown = Object.keys(value).find(name => !priceFields.includes(name))
  if (unknown !== undefined) return refuse(`${path} must have only: ${priceFields.join(', ')}`)
  return checkPriceFields(value, `${path}.`)
}
