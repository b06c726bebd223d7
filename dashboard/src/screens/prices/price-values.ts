// Prices from the fields of a form: in USD for a million tokens.
import type { FormValues } from '../../ui/form.tsx'

const priceNames = ['input', 'cached_input', 'cache_write', 'output', 'reasoning'] as const
type PriceName = (typeof priceNames)[number]

interface Prices {
  input: number
  output: number
  cached_input?: number
  cache_write?: number
  reasoning?: number
  effective_from?: string
}

/**
 * Undefined if no price is given. Throws an error whose message begins with the name of the field, so that the form
 * shows it there.
 */
export function readPrices(texts: FormValues): Prices | undefined {
  const given = priceNames.filter(name => (texts[name] ?? '').trim() !== '')
  const from = (texts['effective_from'] ?? '').trim()
  if (given.length === 0 && from === '') return undefined
  const { input, output, ...others }: { [Name in PriceName]?: number } = Object.fromEntries(
    given.map(name => [name, readPrice(texts, name)]),
  )
  if (input === undefined) throw new Error('input must be given with any other price')
  if (output === undefined) throw new Error('output must be given with any other price')
  return { input, output, ...others, ...(from !== '' && { effective_from: from }) }
}

function readPrice(texts: FormValues, name: PriceName): number {
  const text = (texts[name] ?? '').trim()
  if (/^\d{1,7}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  throw new Error(`${name} must be a price in USD with a decimal point, such as 0.59`)
}
