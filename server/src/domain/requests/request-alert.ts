// An alert on the requests of a project: what is measured over the last minutes, and above which value it begins.

import { accept, type Checked, refuse } from '../checked.ts'
import { cleanName } from '../clean-name.ts'
import { isJsonObject } from '../json-object.ts'

/** Each with the unit of its value. */
export const alertMeasures = {
  error_rate: 'the share of requests that failed, 0 to 1',
  p95_latency_ms: 'milliseconds',
  first_token_ms: 'milliseconds, of 95 % of the streams',
  cost_usd: 'USD',
  requests: 'a number of requests',
  guardrail_blocks: 'a number of requests that a guardrail blocked',
  feedback: 'a number of requests whose end user judged them with less than 0',
} as const
export type AlertMeasure = keyof typeof alertMeasures
const measures = Object.keys(alertMeasures) as AlertMeasure[]

export interface RequestAlert {
  /** Unique in its project. */
  name: string
  on: AlertMeasure
  over: number
  window_minutes: number
  for: { model?: string; tier?: string }
}

const maxAlerts = 20
const maxWindow = 1_440
const maxOver = 1_000_000_000
const maxNameLength = 255

const alertValues =
  `an array of at most ${maxAlerts} {name, on: one of ${measures.join(', ')}, over: a number 0-${maxOver}, below 1 for error_rate, ` +
  `window_minutes: an integer 1-${maxWindow}, for?: {model?, tier?}}, each with a name of its own`

export const alertsSchema = {
  type: 'array',
  maxItems: maxAlerts,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'on', 'over', 'window_minutes'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: maxNameLength },
      on: { type: 'string', enum: measures },
      over: { type: 'number', minimum: 0, maximum: maxOver },
      window_minutes: { type: 'integer', minimum: 1, maximum: maxWindow },
      for: {
        type: 'object',
        additionalProperties: false,
        properties: { model: { type: 'string', maxLength: 255 }, tier: { type: 'string', maxLength: 255 } },
      },
    },
  },
}

export function checkAlerts(value: unknown): Checked<RequestAlert[]> {
  const list = Array.isArray(value) && value.length <= maxAlerts ? value.map(readAlert) : [null]
  const alerts = list.filter(alert => alert !== null)
  const isValid = alerts.length === list.length && new Set(alerts.map(({ name }) => name)).size === list.length
  return isValid ? accept(alerts) : refuse(`alerts must be ${alertValues}`)
}

const known: readonly string[] = ['name', 'on', 'over', 'window_minutes', 'for']

function readAlert(value: unknown): RequestAlert | null {
  if (!isJsonObject(value) || !Object.keys(value).every(field => known.includes(field))) return null
  const { over, window_minutes: minutes, for: narrowed = {} } = value
  const name = cleanName(value['name'])
  const on = measures.find(one => one === value['on'])
  // No share is above 1, so such an alert would never begin.
  const isOver = typeof over === 'number' && over >= 0 && (on === 'error_rate' ? over < 1 : over <= maxOver)
  const isWindow = typeof minutes === 'number' && Number.isInteger(minutes) && minutes >= 1 && minutes <= maxWindow
  const of = readNarrowed(narrowed)
  return name.ok && on !== undefined && isOver && isWindow && of !== null
    ? { name: name.value, on, over, window_minutes: minutes, for: of }
    : null
}

function readNarrowed(value: unknown): RequestAlert['for'] | null {
  if (!isJsonObject(value)) return null
  const found: RequestAlert['for'] = {}
  for (const [field, given] of Object.entries(value)) {
    const text = cleanName(given)
    if ((field !== 'model' && field !== 'tier') || !text.ok) return null
    found[field] = text.value
  }
  return found
}
