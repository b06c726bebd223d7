// The fields of what a model costs.
import type { ReactNode } from 'react'
import { TextField } from '../../ui/fields.tsx'

interface ShownPrices {
  input?: number | null
  output?: number | null
  cached_input?: number | null
  cache_write?: number | null
  reasoning?: number | null
  effective_from?: string | null
}

interface PriceFieldsProps {
  prices?: ShownPrices
  /** False if it cannot be changed. */
  hasTime?: boolean
  /** What the prices replace, or what usage costs without them. */
  children: ReactNode
}

export function PriceFields({ prices = {}, hasTime = true, children }: PriceFieldsProps) {
  return (
    <fieldset className="grid gap-4 rounded-md border border-line p-3 sm:grid-cols-2">
      <legend className="px-1 font-medium">USD for a million tokens</legend>
      <p className="text-sm text-soft sm:col-span-2">{children}</p>
      <PriceField name="input" label="Input price" value={prices.input} />
      <PriceField name="output" label="Output price" value={prices.output} />
      <PriceField name="cached_input" label="Cached input price" value={prices.cached_input} />
      <PriceField name="cache_write" label="Cache write price" value={prices.cache_write} />
      <PriceField name="reasoning" label="Reasoning price" value={prices.reasoning} />
      {hasTime && (
        <TextField
          name="effective_from"
          label="In force from"
          defaultValue={prices.effective_from ?? undefined}
          hint="A day (UTC) such as 2027-01-01, or a time in ISO 8601. Empty: at once."
          autoComplete="off"
        />
      )}
    </fieldset>
  )
}

interface PriceFieldProps {
  name: string
  label: string
  value: number | null | undefined
}

function PriceField({ name, label, value }: PriceFieldProps) {
  return (
    <TextField name={name} label={label} defaultValue={value ?? undefined} inputMode="decimal" autoComplete="off" />
  )
}
