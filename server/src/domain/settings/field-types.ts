// The value types of settings. A type checks a value, with the messages of the contract, and describes itself
// for the OpenAPI document and docs/settings.md. settings.ts gives each field its type.

import { type Budget, budgetsSchema, budgetValues, checkBudgets } from '../budgets/budget.ts'
import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, ownValue } from '../json-object.ts'
import { isBlank, isLongerThan, isStorable } from '../stored-text.ts'
import { checkBoolean, checkInteger, checkOneOf, isStringArray } from '../value-rules.ts'
import { normalizeOrigin, wildcardOrigin } from './cors-origin.ts'
import { defaultLimits, type SettingsLimits } from './settings-limits.ts'

export type IsKnownModel = (modelId: string) => boolean

export interface FieldType<T> {
  /** Returns the value as it will be stored, or a message that names the field. */
  check(value: unknown, field: string, isKnownModel: IsKnownModel, limits: SettingsLimits): Checked<T>
  /** The maximum, if the operator may set it; not in `schema`. */
  limit?: keyof SettingsLimits
  /** JSON Schema. */
  schema: { type: string | string[] } & Record<string, unknown>
  /** Describes the accepted values: `an integer 0-500`. */
  values: string
}

export const boolean: FieldType<boolean> = {
  check: checkBoolean,
  schema: { type: 'boolean' },
  values: 'true or false',
}

/** Without `max`, the maximum is the largest safe integer. */
export function integer({ min, max }: { min: number; max?: number }): FieldType<number> {
  const values = max === undefined ? `an integer >= ${min}` : `an integer ${min}-${max}`
  return {
    check: (value, field) => checkInteger(value, min, max ?? Number.MAX_SAFE_INTEGER, `${field} must be ${values}`),
    schema: { type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }) },
    values,
  }
}

export const requestsPerMinute: FieldType<number> = {
  check(value, field, isKnownModel, limits) {
    return integer({ min: 1, max: limits.maxRpmLimit }).check(value, field, isKnownModel, limits)
  },
  limit: 'maxRpmLimit',
  schema: { type: 'integer', minimum: 1 },
  values: `an integer 1-${defaultLimits.maxRpmLimit}, or up to \`MAX_RPM_LIMIT\` of the installation`,
}

export function oneOf<Word extends string>(words: readonly Word[]): FieldType<Word> {
  return {
    check: (value, field) => checkOneOf(value, words, field),
    schema: { type: 'string', enum: [...words] },
    values: `one of: ${words.join(', ')}`,
  }
}

/** Also accepts null; messages of the inner type then end with "or null". */
export function orNull<T>({ check, schema, values, ...type }: FieldType<T>): FieldType<T | null> {
  return {
    ...type,
    check(value, field, isKnownModel, limits) {
      if (value === null) return accept(null)
      const outcome = check(value, field, isKnownModel, limits)
      return outcome.ok ? outcome : refuse(`${outcome.message} or null`)
    },
    schema: { ...schema, type: [schema.type, 'null'].flat() },
    values: `${values} or null`,
  }
}

export function textOrNull(maxCharacters: number): FieldType<string | null> {
  const values = `a string (max ${maxCharacters} chars)`
  return {
    check(value, field) {
      if (value === null) return accept(null)
      if (typeof value !== 'string' || isLongerThan(value, maxCharacters)) return refuse(`${field} must be ${values}`)
      return isStorable(value) ? accept(value) : refuseUnstorable(field)
    },
    schema: { type: ['string', 'null'], maxLength: maxCharacters },
    values: `${values} or null`,
  }
}

const maxAddressCharacters = 2048
const addressWords = 'an http or https address without user info, query or fragment'

/** Only the form: whether a tenant may name the host depends on the operator, and is checked where it is stored. */
export const address: FieldType<string> = {
  check(value, field) {
    const refusal = refuse(`${field} must be ${addressWords}`)
    if (typeof value !== 'string' || value.length > maxAddressCharacters) return refusal
    const url = /^https?:\/\/[^\s\\?#@]+$/i.test(value) && isStorable(value) ? URL.parse(value) : null
    return url === null ? refusal : accept(url.href.replace(/\/+$/, ''))
  },
  schema: { type: 'string', maxLength: maxAddressCharacters },
  values: addressWords,
}

export const modelId: FieldType<string> = {
  check: (value, field, isKnownModel) =>
    typeof value === 'string' && isKnownModel(value) ? accept(value) : refuse(`${field} must be a known model ID`),
  schema: { type: 'string' },
  values: 'a known model ID',
}

/** Duplicates are removed. */
export function modelIds({ min, max }: { min: number; max: number }): FieldType<string[]> {
  const values = `an array of ${min}-${max} known model IDs`
  return {
    check(value, field, isKnownModel) {
      const isList = isStringArray(value) && value.length >= min && value.length <= max && value.every(isKnownModel)
      return isList ? accept([...new Set(value)]) : refuse(`${field} must be ${values}`)
    },
    schema: { type: 'array', minItems: min, maxItems: max, items: { type: 'string' } },
    values,
  }
}

/** Search terms. A blank one is invalid, because it would match every text. */
export function terms({ maxTerms, maxCharacters }: { maxTerms: number; maxCharacters: number }): FieldType<string[]> {
  return {
    check(value, field) {
      if (!isStringArray(value)) return refuse(`${field} must be an array of strings`)
      if (value.length > maxTerms) return refuse(`${field} must not exceed ${maxTerms} terms`)
      for (const term of value) {
        if (isBlank(term) || isLongerThan(term, maxCharacters)) {
          return refuse(`${field} terms must be 1-${maxCharacters} characters and not blank`)
        }
        if (!isStorable(term)) return refuseUnstorable(field)
      }
      return accept([...value])
    },
    schema: {
      type: 'array',
      maxItems: maxTerms,
      items: { type: 'string', minLength: 1, maxLength: maxCharacters },
    },
    values: `at most ${maxTerms} terms of 1-${maxCharacters} characters, none blank`,
  }
}

/** Null is stored as no budgets. */
export const budgets: FieldType<Budget[]> = {
  check: checkBudgets,
  schema: { ...budgetsSchema, type: ['array', 'null'] },
  values: budgetValues,
}

/** Origins of browsers, stored in their normal form and without duplicates. */
export function origins(maxOrigins: number): FieldType<string[]> {
  return {
    check(value, field) {
      if (!isStringArray(value)) return refuse(`${field} must be an array of strings`)
      const found = new Set<string>()
      for (const entry of value) {
        const origin = entry === wildcardOrigin ? entry : normalizeOrigin(entry)
        if (origin === null) {
          return refuse(`Invalid origin '${excerpt(entry)}': must be scheme + host, no trailing slash`)
        }
        found.add(origin)
      }
      if (found.size > maxOrigins) return refuse(`${field} must not exceed ${maxOrigins} origins`)
      return accept([...found])
    },
    schema: {
      type: 'array',
      maxItems: maxOrigins,
      items: { type: 'string', description: 'scheme://host, no path and no trailing slash, or * alone' },
    },
    values: `at most ${maxOrigins} origins, or \`*\` alone`,
  }
}

/**
 * An object with fixed sets of keys and values. `otherKeys` is the form of further keys, whose meaning another field
 * defines. `values` describes the mapping in messages.
 */
export function wordMap<Key extends string, Word extends string>(
  known: { keys: readonly Key[]; otherKeys?: RegExp; words: readonly Word[] },
  values: string,
): FieldType<Partial<Record<Key, Word>>> {
  const entry = { type: 'string', enum: [...known.words] }
  const { otherKeys } = known
  return {
    check(value, field) {
      const refusal = refuse(`${field} must map ${values}`)
      if (!isJsonObject(value)) return refusal
      const map: Partial<Record<Key, Word>> = {}
      const others = Object.keys(value).filter(key => otherKeys?.test(key)) as Key[]
      for (const key of new Set([...known.keys, ...others])) {
        const given = ownValue(value, key)
        if (given === undefined) continue
        const word = known.words.find(one => one === given)
        if (word === undefined) return refusal
        map[key] = word
      }
      // Any key that was not read above is unknown.
      return Object.keys(map).length === Object.keys(value).length ? accept(map) : refusal
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(known.keys.map(key => [key, entry])),
      ...(otherKeys === undefined
        ? { additionalProperties: false }
        : { additionalProperties: entry, propertyNames: { pattern: otherKeys.source } }),
    },
    values: `an object that maps ${values}`,
  }
}

function refuseUnstorable(field: string) {
  return refuse(`${field} must not contain NUL characters or unpaired surrogates`)
}

/** Error messages quote the input, but not megabytes of it. */
function excerpt(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text
}
