// The data of an event of a tenant in words, by its type. What this page does not know yet stands as it is.
import { formatPrice } from '../../ui/numbers.ts'
import { measureNames, measures } from '../alerts/measures.ts'
import { nameOfEntity, nameOfFamily } from '../guardrails/names.ts'
import type { TenantEvent } from './queries.ts'

type Data = TenantEvent['data']
type Key = TenantEvent['api_key']
type Describe = (data: Data, key: Key) => string

/** By its name and its last characters: both keys of a rotation have the same name. */
const describeKey: Describe = ({ api_key_id: id, role }, key) => {
  if (key === null) return `Key ${id}, role ${role}`
  const end = key.hint === null ? '' : ` (…${key.hint})`
  return `Key ${key.name}${end}, role ${role}`
}

const describeBudget: Describe = ({ level, threshold, usd, period }) =>
  `${threshold}% of ${formatPrice(Number(usd))} a ${period}, ${String(level).replace('_', ' ')}`

const describeAlert: Describe = ({ state, on, over, value, window_minutes: minutes }) => {
  const measure = measures.find(one => one === on)
  if (measure === undefined) return listFields({ state, on, over, value } as Data)
  const { title, format } = measureNames[measure]
  const measured = value === undefined ? '' : `: ${format(Number(value))}`
  return `${state === 'began' ? 'Began' : 'Ended'}${measured}. ${title} above ${format(Number(over))} in ${minutes} min`
}

/** An event of the guardrails: what was detected, what was done, and whose request it was. */
const describeDetection: Describe = ({ entity_types, pattern_family: family, term_count, action_taken, uid }) => {
  const types = Array.isArray(entity_types) ? entity_types.map(nameOfEntity) : []
  const terms = term_count === undefined ? [] : [term_count === '1' ? '1 term' : `${term_count} terms`]
  const attack = family === undefined ? [] : [nameOfFamily(String(family))]
  return [...types, ...attack, ...terms, action_taken, uid].filter(part => part !== undefined).join(', ')
}

const descriptions: Partial<Record<TenantEvent['type'], Describe>> = {
  settings_deployed: ({ deployment }) => `Deployment ${deployment}`,
  api_key_created: describeKey,
  api_key_rotated: describeKey,
  api_key_revoked: describeKey,
  price_set: ({ model, input, output }) =>
    `${model}: ${formatPrice(Number(input))} input, ${formatPrice(Number(output))} output for a million tokens`,
  price_deleted: ({ model }) => String(model),
  budget_alert: describeBudget,
  request_alert: describeAlert,
  member_joined: ({ role }) => `Role ${role}`,
  pii_block: describeDetection,
  pii_detection: describeDetection,
  sentinel_blocklist: describeDetection,
  sentinel_jailbreak: describeDetection,
}

export function describeTenantEvent({ type, data, api_key }: Pick<TenantEvent, 'type' | 'data' | 'api_key'>): string {
  return (descriptions[type] ?? listFields)(data, api_key)
}

const listFields = (data: Data): string =>
  Object.entries(data)
    .map(([field, value]) => (field === 'slug' ? value : `${field.replaceAll('_', ' ')} ${value}`))
    .join(', ')
