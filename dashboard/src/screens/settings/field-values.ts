// Between the API's values and people: as lines to read, as the text of form controls, and back. What a control cannot
// express is sent as it was typed, so that the API's message says what is wrong.
import type { FormValues } from '../../ui/form.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { type Budget, describeBudget, fromBudgetTexts, toBudgetTexts } from '../budgets/budget-values.ts'
import { actionNames, entityTypes, nameOfEntity, pick } from '../guardrails/names.ts'
import { describeAnonymous, fromAnonymousTexts, toAnonymousTexts } from './anonymous-values.ts'
import { describeCache, fromCacheTexts, toCacheTexts } from './cache-values.ts'
import { fields, isSettingsField, labelOf, type SettingsField, type SettingsValues } from './fields.ts'
import { toInteger } from './number-values.ts'
import { fromRouteTexts, toRouteTexts } from './route-values.ts'

/** The value in words, a line for each item of a list. Long values of old deployments arrive cut, as text. */
export function describeValue(name: string, value: unknown): string[] {
  if (name.startsWith('tiers.')) return describeTier(value)
  if (name.startsWith('prompts.')) return describePrompt(value)
  const field = isSettingsField(name) ? fields[name] : undefined
  const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0)
  if (isEmpty) return [field?.none ?? 'None']
  if (isObject(value) && field?.kind === 'routes') return describeRoutes(value)
  if (isObject(value) && field?.kind === 'cache') return [describeCache(value)]
  if (isObject(value) && field?.kind === 'anonymous') return describeAnonymous(value)
  if (Array.isArray(value) && field?.kind === 'budgets') return value.map((budget: Budget) => describeBudget(budget))
  if (Array.isArray(value)) return value.map(item => (isObject(item) ? describeType(item) : String(item)))
  if (isObject(value)) return Object.entries(value).map(describeEntity)
  if (typeof value === 'number') return [formatCount(value)]
  return field?.choices?.[String(value)]?.split('\n') ?? String(value).split('\n')
}

function describeEntity([type, given]: [string, unknown]): string {
  const action = pick(actionNames, String(given))
  return `${nameOfEntity(type)}: ${action === undefined ? given : actionNames[action]}`
}

/** One of the project's own types: `BADGE: patterns \d{6}; context badge, pass`. */
function describeType({ name, ...definition }: Record<string, unknown>): string {
  return `${name}: ${Object.entries(definition)
    .map(([part, value]) => `${part} ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('; ')}`
}

/** A line for each target, then one for each rule: `openai/gpt-4o: weight 2`, `strategy: weighted`. */
function describeRoutes({ targets, ...rules }: Record<string, unknown>): string[] {
  const lines = Array.isArray(targets) ? targets.filter(isObject).map(describeTarget) : []
  return [...lines, ...Object.entries(rules).map(([name, rule]) => `${name}: ${wordsOf(rule)}`)]
}

function describeTarget({ model, ...rules }: Record<string, unknown>): string {
  const words = Object.entries(rules).map(([name, rule]) => `${name} ${wordsOf(rule)}`)
  return words.length === 0 ? String(model) : `${model}: ${words.join(', ')}`
}

function wordsOf(rule: unknown): string {
  return typeof rule === 'string' ? rule : JSON.stringify(rule)
}

/** The prompt as JSON, line by line, so that a changed line shows. */
function describePrompt(value: unknown): string[] {
  if (value === null) return ['No such prompt']
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n')
}

/** The overrides of a tier, or null where there is no such tier. */
function describeTier(value: unknown): string[] {
  if (value === null) return ['No such tier']
  if (!isObject(value)) return String(value).split('\n')
  const overrides = Object.entries(value)
  if (overrides.length === 0) return ['No overrides']
  return overrides.map(([name, override]) => `${labelOf(name)}: ${describeValue(name, override).join(', ')}`)
}

/** The texts of a field's controls, by their names. */
export function toTexts(field: SettingsField, value: unknown): FormValues {
  const { kind } = fields[field]
  if (kind === 'entities') {
    const actions = isObject(value) ? value : {}
    const types = new Set([...entityTypes, ...Object.keys(actions)])
    return Object.fromEntries([...types].map(type => [controlOf(field, type), String(actions[type] ?? '')]))
  }
  if (kind === 'types') return { [field]: JSON.stringify(value, null, 1) }
  if (kind === 'routes' || kind === 'cache' || kind === 'anonymous') return { [field]: toJson(kind, value) }
  if (kind === 'budgets') return { [field]: JSON.stringify(toBudgetTexts(Array.isArray(value) ? value : [])) }
  if (Array.isArray(value)) return { [field]: value.join('\n') }
  // A textarea has no carriage returns.
  return { [field]: value === null ? '' : String(value).replaceAll(/\r\n?/g, '\n') }
}

/** The texts of the several controls of a field, as one text; empty for null. */
function toJson(kind: 'routes' | 'cache' | 'anonymous', value: unknown): string {
  return value === null ? '' : JSON.stringify(textsOf[kind](value))
}

const textsOf: Record<'routes' | 'cache' | 'anonymous', (value: unknown) => object> = {
  routes: value => toRouteTexts(value as NonNullable<SettingsValues['routes']>),
  cache: value => toCacheTexts(value as NonNullable<SettingsValues['cache']>),
  anonymous: value => toAnonymousTexts(value as NonNullable<SettingsValues['anonymous']>),
}

export const controlOf = (field: SettingsField, part: string): string => `${field}.${part}`

/** The value to send, from the texts of a form. */
export function fromTexts(field: SettingsField, texts: FormValues): unknown {
  const text = texts[field] ?? ''
  switch (fields[field].kind) {
    case 'text':
      return text === '' ? null : text.replaceAll('\r\n', '\n')
    case 'address':
      return text.trim() === '' ? null : text.trim()
    case 'integer':
      return toInteger(text)
    case 'origins':
      return toLines(text).map(line => line.trim())
    case 'terms':
      return toLines(text)
    case 'types':
      return readJson(text)
    case 'routes':
      return text === '' ? null : fromRouteTexts(JSON.parse(text))
    case 'cache':
      return text === '' ? null : fromCacheTexts(JSON.parse(text))
    case 'anonymous':
      return text === '' ? null : fromAnonymousTexts(JSON.parse(text))
    case 'budgets':
      return fromBudgetTexts(JSON.parse(text))
    case 'models':
      return text.trim() === '' ? null : toLines(text).map(line => line.trim())
    case 'model':
      return text === '' ? null : text
    case 'choice':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'entities': {
      const prefix = controlOf(field, '')
      const actions = Object.entries(texts).filter(([name, action]) => name.startsWith(prefix) && action !== '')
      return Object.fromEntries(actions.map(([name, action]) => [name.slice(prefix.length), action]))
    }
  }
}

/** The text itself if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toLines(text: string): string[] {
  return text.split(/\r?\n/).filter(line => line.trim() !== '')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
