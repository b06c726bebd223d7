// What a tier overrides, in words.
import { describeValue } from '../settings/field-values.ts'
import { fields } from '../settings/fields.ts'
import { overriddenFields, type Tier } from './queries.ts'

const maxShown = 120

/** A value in one line, cut if it is long. */
export function describeShortly(field: string, value: unknown): string {
  const words = describeValue(field, value).join(', ')
  return words.length > maxShown ? `${words.slice(0, maxShown)}…` : words
}

export function Overrides({ tier }: { tier: Tier }) {
  const names = overriddenFields(tier)
  if (names.length === 0) return <>None</>
  return (
    <ul>
      {names.map(field => (
        <li key={field}>
          {fields[field].label}: <bdi>{describeShortly(field, tier.overrides[field])}</bdi>
        </li>
      ))}
    </ul>
  )
}
