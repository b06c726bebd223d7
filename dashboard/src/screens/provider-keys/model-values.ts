// A model that a tenant names for its own provider: from the API's response to the body of a request, and from the
// fields of a dialog.
import { endpointsOfModels } from '../../api/endpoint-names.ts'
import type { FormValues } from '../../ui/form.tsx'
import { readPrices } from '../prices/price-values.ts'
import type { ModelInput, ShownModel } from './queries.ts'

export const flagNames = {
  streaming: 'Streaming',
  tools: 'Tools',
  vision: 'Images',
  reasoning: 'Reasoning',
  structured_output: 'Structured output',
  temperature: 'Temperature',
} as const

type Flag = keyof typeof flagNames

/** The name of its control: reasoning has a price, too. */
export const controlOf = (flag: Flag): string => `capability.${flag}`
export const flags = Object.keys(flagNames) as Flag[]

/** What is unknown is left out. */
export function toInput({ id, capabilities, prices, ...model }: ShownModel): ModelInput {
  const { display_name, context_window, max_output_tokens } = model
  const { input = null, output = null, ...otherPrices } = prices ?? {}
  const isPriced = input !== null && output !== null
  return {
    id,
    ...withoutNulls({ display_name, context_window, max_output_tokens }),
    capabilities: withoutNulls(capabilities),
    ...(isPriced ? { prices: { input, output, ...withoutNulls(otherPrices) } } : {}),
  }
}

function withoutNulls<Values extends object>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as never
}

/** Throws an error whose message begins with the name of the field, so that the form shows it there. */
export function readModel(texts: FormValues): ModelInput {
  const id = (texts['id'] ?? '').trim()
  const name = (texts['display_name'] ?? '').trim()
  const contextWindow = readTokens(texts, 'context_window')
  const maxOutputTokens = readTokens(texts, 'max_output_tokens')
  const prices = readPrices(texts)
  return {
    id,
    ...(name !== '' && { display_name: name }),
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    capabilities: { ...readFlags(texts), surfaces: readSurfaces(texts) },
    ...(prices !== undefined && { prices }),
  }
}

function readTokens(texts: FormValues, field: string): number | undefined {
  const text = (texts[field] ?? '').trim()
  if (text === '') return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${field} must be a whole number, such as 128000`)
}

function readFlags(texts: FormValues): { [Name in Flag]?: boolean } {
  const known = flags.filter(flag => (texts[controlOf(flag)] ?? '') !== '')
  return Object.fromEntries(known.map(flag => [flag, texts[controlOf(flag)] === 'true']))
}

function readSurfaces(texts: FormValues) {
  const ticked = endpointsOfModels.filter(name => texts[`surfaces.${name}`] !== undefined)
  if (ticked.length === 0) throw new Error('The model must answer at least one endpoint')
  return ticked
}
