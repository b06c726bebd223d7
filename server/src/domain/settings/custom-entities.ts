// The types of data that a project defines itself, besides the built-in ones: their form and their check.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../json-object.ts'
import { measurePattern } from '../patterns/read-pattern.ts'
import { isBlank, isLongerThan, isStorable } from '../stored-text.ts'
import { isStringArray } from '../value-rules.ts'
import type { FieldType } from './field-types.ts'

export const checksums = ['luhn', 'mod97'] as const
export type Checksum = (typeof checksums)[number]

/** A match of any pattern or word counts, if it passes the checksum and stands near a context word. */
export interface CustomEntity {
  name: string
  /** In the subset of RE2 that domain/patterns reads. */
  patterns?: string[]
  words?: string[]
  context?: string[]
  checksum?: Checksum
}

export const customEntityName = /^[A-Z][A-Z0-9_]{2,31}$/
export const maxCustomEntities = 20
const maxCharacters = 200_000
const maxStates = 10_000
const fields = ['name', 'patterns', 'words', 'context', 'checksum']

/** The lists of a type: how many entries, and how many characters each has. */
const lists = {
  patterns: { maxEntries: 10, min: 1, max: 500 },
  words: { maxEntries: 1_000, min: 2, max: 100 },
  context: { maxEntries: 100, min: 2, max: 100 },
} as const
type List = keyof typeof lists

export function customEntities(builtIn: readonly string[]): FieldType<CustomEntity[]> {
  return {
    check(value, field) {
      if (!Array.isArray(value) || !value.every(isJsonObject)) return refuse(`${field} must be an array of objects`)
      if (value.length > maxCustomEntities) return refuse(`${field} must not exceed ${maxCustomEntities} types`)
      const names = new Set(builtIn)
      const entities: CustomEntity[] = []
      for (const [index, item] of value.entries()) {
        const outcome = checkEntity(item, `${field}[${index}]`, names)
        if (!outcome.ok) return outcome
        names.add(outcome.value.name)
        entities.push(outcome.value)
      }
      return checkTotals(entities, field)
    },
    schema: { type: 'array', maxItems: maxCustomEntities, items: entitySchema() },
    values: `at most ${maxCustomEntities} types, each {name, patterns?, words?, context?, checksum?}`,
  }
}

function checkEntity(item: JsonObject, place: string, taken: ReadonlySet<string>): Checked<CustomEntity> {
  const unknown = Object.keys(item).find(key => !fields.includes(key))
  if (unknown !== undefined) return refuse(`${place} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  const { name, checksum } = item
  if (typeof name !== 'string' || !customEntityName.test(name)) {
    return refuse(`${place}.name must match ${customEntityName.source}`)
  }
  if (taken.has(name)) return refuse(`${place}.name is already the name of another type`)
  const checked: { [L in List]?: string[] | undefined } = {}
  for (const list of Object.keys(lists) as List[]) {
    const outcome = checkList(item[list], list, place)
    if (!outcome.ok) return outcome
    checked[list] = outcome.value
  }
  if (checksum !== undefined && !checksums.some(known => known === checksum)) {
    return refuse(`${place}.checksum must be one of: ${checksums.join(', ')}`)
  }
  if ((checked.patterns ?? []).length + (checked.words ?? []).length === 0) {
    return refuse(`${place} must have patterns or words`)
  }
  return accept(omitAbsent({ name, ...checked, checksum: checksum as Checksum | undefined }) as CustomEntity)
}

function checkList(value: unknown, list: List, place: string): Checked<string[] | undefined> {
  if (value === undefined) return accept(undefined)
  const { maxEntries, min, max } = lists[list]
  const isEntry = (text: string) =>
    text.length >= min && !isLongerThan(text, max) && isStorable(text) && (list === 'patterns' || !isBlank(text))
  if (!isStringArray(value) || value.length > maxEntries || !value.every(isEntry)) {
    return refuse(`${place}.${list} must be an array of at most ${maxEntries} strings of ${min}-${max} characters`)
  }
  return accept([...value])
}

/**
 * Limits what a configuration takes in memory, and the time to compile it. The characters are counted first, so that
 * no more than they allow is read.
 */
function checkTotals(entities: CustomEntity[], field: string): Checked<CustomEntity[]> {
  let characters = 0
  for (const { patterns = [], words = [], context = [] } of entities) {
    for (const list of [patterns, words, context]) for (const text of list) characters += text.length
  }
  if (characters > maxCharacters) return refuse(`${field} must not exceed ${maxCharacters} characters in total`)
  let states = 0
  for (const [index, { patterns = [] }] of entities.entries()) {
    for (const [at, pattern] of patterns.entries()) {
      const outcome = measurePattern(pattern)
      if (!outcome.ok) {
        return refuse(`${field}[${index}].patterns[${at}] is not a supported pattern: ${outcome.message}`)
      }
      states += outcome.value
      if (states > maxStates) return refuse(`${field} must not exceed ${maxStates} states of patterns in total`)
    }
  }
  return accept(entities)
}

function entitySchema() {
  const listSchema = (list: List) => {
    const { maxEntries, min, max } = lists[list]
    return { type: 'array', maxItems: maxEntries, items: { type: 'string', minLength: min, maxLength: max } }
  }
  return {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: { type: 'string', pattern: customEntityName.source },
      patterns: listSchema('patterns'),
      words: listSchema('words'),
      context: listSchema('context'),
      checksum: { type: 'string', enum: [...checksums] },
    },
  }
}
