// Between the API's values and people: as lines to read, as the text of form controls, and back. What a control cannot
// express is sent as it was typed, so that the API's message says what is wrong.
import type { FormValues } from '../../ui/form.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { actionNames, entityTypes, nameOfEntity, pick } from '../guardrails/names.ts'
import { fields, isSettingsField, labelOf, type SettingsField } from './fields.ts'

/** The value in words, a line for each item of a list. Long values of old deployments arrive cut, as text. */
export function describeValue(name: string, value: unknown): string[] {
  if (name.startsWith('tiers.')) return describeTier(value)
  const field = isSettingsField(name) ? fields[name] : undefined
  const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0)
  if (isEmpty) return [field?.none ?? 'None']
  if (field?.kind === 'routes') return describeRoutes(value)
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
function describeRoutes(value: unknown): string[] {
  if (!isObject(value)) return String(value).split('\n')
  const { targets, ...rules } = value
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
  if (fields[field].kind === 'entities') {
    const actions = isObject(value) ? value : {}
    const types = new Set([...entityTypes, ...Object.keys(actions)])
    return Object.fromEntries([...types].map(type => [controlOf(field, type), String(actions[type] ?? '')]))
  }
  if (fields[field].kind === 'routes' && value === null) return { [field]: '' }
  if (fields[field].kind === 'types' || fields[field].kind === 'routes')
    return { [field]: JSON.stringify(value, null, 1) }
  if (Array.isArray(value)) return { [field]: value.join('\n') }
  // A textarea has no carriage returns.
  return { [field]: value === null ? '' : String(value).replaceAll(/\r\n?/g, '\n') }
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
      return toInteger(text.trim())
    case 'origins':
      return toLines(text).map(line => line.trim())
    case 'terms':
      return toLines(text)
    case 'types':
      return readJson(text)
    case 'routes':
      return text.trim() === '' ? null : readJson(text)
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

function toInteger(text: string): number | string | null {
  if (text === '') return null
  return /^-?\d+$/.test(text) ? Number(text) : text
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
