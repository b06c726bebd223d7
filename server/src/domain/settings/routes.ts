// The setting `routes`: which models answer a project's requests, in which order they are tried, and how long each may
// take. Its form and its check.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../json-object.ts'
import { checkInteger, checkOneOf, isStringArray } from '../value-rules.ts'
import type { FieldType, IsKnownModel } from './field-types.ts'

export const routeStrategies = ['fallback', 'weighted'] as const
export type RouteStrategy = (typeof routeStrategies)[number]

/** What a target is retried after: no connection, no response in time, a rate limit, a failure of the provider. */
export const retryCauses = ['connect', 'timeout', '429', '5xx'] as const
export type RetryCause = (typeof retryCauses)[number]

export interface RouteTarget {
  model: string
  /** Its share of the requests in the strategy `weighted`; absent: 1. */
  weight?: number
  /** For the first byte of its response. */
  timeout_ms?: number
}

export interface RetryRule {
  attempts: number
  /** Absent: all causes. */
  on?: RetryCause[]
}

export interface Routes {
  targets: RouteTarget[]
  strategy: RouteStrategy
  /** Retries of one target before the next one is tried; absent: one retry if nothing was sent. */
  retry?: RetryRule
  /** For the first token of a stream. */
  first_token_timeout_ms?: number
}

const maxTargets = 10
const maxWeight = 1_000
const maxAttempts = 3
const maxTimeoutMs = 600_000
const targetFields = ['model', 'weight', 'timeout_ms']
const routeFields = ['targets', 'strategy', 'retry', 'first_token_timeout_ms']
const retryFields = ['attempts', 'on']

export const routesOrNull: FieldType<Routes | null> = {
  check(value, field, isKnownModel) {
    if (value === null) return accept(null)
    if (!isJsonObject(value)) return refuse(`${field} must be an object with targets and strategy, or null`)
    return findUnknown(value, routeFields, field) ?? checkRoutes(value, field, isKnownModel)
  },
  schema: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['targets', 'strategy'],
    properties: {
      targets: { type: 'array', minItems: 1, maxItems: maxTargets, items: targetSchema() },
      strategy: { type: 'string', enum: [...routeStrategies] },
      retry: {
        type: 'object',
        additionalProperties: false,
        required: ['attempts'],
        properties: {
          attempts: { type: 'integer', minimum: 0, maximum: maxAttempts },
          on: { type: 'array', items: { type: 'string', enum: [...retryCauses] } },
        },
      },
      first_token_timeout_ms: { type: 'integer', minimum: 1, maximum: maxTimeoutMs },
    },
  },
  values: `an object {targets: 1-${maxTargets} of {model, weight?, timeout_ms?}, strategy, retry?, first_token_timeout_ms?} or null`,
}

function targetSchema() {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['model'],
    properties: {
      model: { type: 'string', description: 'A known model ID' },
      weight: { type: 'integer', minimum: 1, maximum: maxWeight },
      timeout_ms: { type: 'integer', minimum: 1, maximum: maxTimeoutMs },
    },
  }
}

function checkRoutes(value: JsonObject, field: string, isKnownModel: IsKnownModel): Checked<Routes> {
  const targets = checkTargets(value['targets'], `${field}.targets`, isKnownModel)
  if (!targets.ok) return targets
  const strategy = checkOneOf(value['strategy'], routeStrategies, `${field}.strategy`)
  if (!strategy.ok) return strategy
  const retry = checkRetry(value['retry'], `${field}.retry`)
  if (!retry.ok) return retry
  const firstToken = checkOptional(value['first_token_timeout_ms'], maxTimeoutMs, `${field}.first_token_timeout_ms`)
  if (!firstToken.ok) return firstToken
  return accept(
    omitAbsent<Routes>({
      targets: targets.value,
      strategy: strategy.value,
      retry: retry.value,
      first_token_timeout_ms: firstToken.value,
    }),
  )
}

function checkTargets(value: unknown, path: string, isKnownModel: IsKnownModel): Checked<RouteTarget[]> {
  if (!Array.isArray(value) || value.length < 1 || value.length > maxTargets || !value.every(isJsonObject)) {
    return refuse(`${path} must be an array of 1-${maxTargets} objects`)
  }
  const targets: RouteTarget[] = []
  for (const [index, item] of value.entries()) {
    const outcome = checkTarget(item, `${path}[${index}]`, isKnownModel)
    if (!outcome.ok) return outcome
    targets.push(outcome.value)
  }
  return accept(targets)
}

function checkTarget(item: JsonObject, path: string, isKnownModel: IsKnownModel): Checked<RouteTarget> {
  const unknown = findUnknown(item, targetFields, path)
  if (unknown !== null) return unknown
  const { model } = item
  if (typeof model !== 'string' || !isKnownModel(model)) return refuse(`${path}.model must be a known model ID`)
  const weight = checkOptional(item['weight'], maxWeight, `${path}.weight`)
  if (!weight.ok) return weight
  const timeout = checkOptional(item['timeout_ms'], maxTimeoutMs, `${path}.timeout_ms`)
  if (!timeout.ok) return timeout
  return accept(omitAbsent<RouteTarget>({ model, weight: weight.value, timeout_ms: timeout.value }))
}

function checkRetry(value: unknown, path: string): Checked<RetryRule | undefined> {
  if (value === undefined) return accept(undefined)
  if (!isJsonObject(value)) return refuse(`${path} must be an object with attempts and on`)
  const unknown = findUnknown(value, retryFields, path)
  if (unknown !== null) return unknown
  const message = `${path}.attempts must be an integer 0-${maxAttempts}`
  const attempts = checkInteger(value['attempts'], 0, maxAttempts, message)
  if (!attempts.ok) return attempts
  const { on } = value
  if (on === undefined) return accept({ attempts: attempts.value })
  const known = isStringArray(on) ? retryCauses.filter(cause => on.includes(cause)) : []
  if (!isStringArray(on) || !on.every(one => known.some(cause => cause === one))) {
    return refuse(`${path}.on must be an array of: ${retryCauses.join(', ')}`)
  }
  return accept({ attempts: attempts.value, on: known })
}

function checkOptional(value: unknown, max: number, path: string): Checked<number | undefined> {
  return value === undefined ? accept(undefined) : checkInteger(value, 1, max, `${path} must be an integer 1-${max}`)
}

function findUnknown(value: JsonObject, known: readonly string[], path: string) {
  const unknown = Object.keys(value).find(key => !known.includes(key))
  return unknown === undefined ? null : refuse(`${path} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
}

/** The models that the value of an unchecked setting may name. */
export function modelsOfRoutes(value: unknown): unknown[] {
  const targets = isJsonObject(value) ? value['targets'] : null
  if (!Array.isArray(targets)) return []
  return targets.slice(0, maxTargets).map(target => (isJsonObject(target) ? target['model'] : null))
}
