// Reads fields of a client's request by their type: absent and null are the same, and an invalid field is a 400 that
// names it.

import { Refusal } from '../domain/errors.ts'
import { foldName } from '../domain/json/fold-name.ts'
import { JsonText } from '../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../domain/json-object.ts'

export function refuseField(param: string, message: string): never {
  throw new Refusal('invalid_request', { message: `${param} ${message}`, param })
}

/** Undefined if the field is absent or null. */
export function findField(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined
}

export function findText(object: JsonObject, name: string, path: string): string | undefined {
  const value = findField(object, name)
  if (value === undefined || typeof value === 'string') return value
  refuseField(path, 'must be a string')
}

export function getText(object: JsonObject, name: string, path: string): string {
  return findText(object, name, path) ?? refuseField(path, 'is required')
}

export function findFlag(object: JsonObject, name: string, path: string): boolean | undefined {
  const value = findField(object, name)
  if (value === undefined || typeof value === 'boolean') return value
  refuseField(path, 'must be a boolean')
}

export function findNumber(
  object: JsonObject,
  name: string,
  [from, to]: readonly [number, number],
): number | undefined {
  const value = findField(object, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= from && value <= to) return value
  refuseField(name, `must be a number ${from} to ${to}`)
}

export function findInteger(object: JsonObject, name: string, from: number, path: string): number | undefined {
  const value = findField(object, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= from) return value
  refuseField(path, `must be an integer of at least ${from}`)
}

export function findObject(object: JsonObject, name: string, path: string): JsonObject | undefined {
  const value = findField(object, name)
  if (value === undefined || isJsonObject(value)) return value
  refuseField(path, 'must be an object')
}

/** An object that is passed on as the client wrote it. */
export function findSchema(object: JsonObject, name: string, path: string): JsonText | undefined {
  const value = findObject(object, name, path)
  return value === undefined ? undefined : JsonText.of(value)
}

export function getObject(value: unknown, path: string): JsonObject {
  return isJsonObject(value) ? value : refuseField(path, 'must be an object')
}

export function findList(object: JsonObject, name: string, path: string): unknown[] | undefined {
  const value = findField(object, name)
  if (value === undefined || Array.isArray(value)) return value
  refuseField(path, 'must be an array')
}

/** The fields that are not in `known`; undefined if there are none. */
export function findOthers(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  return pickFields(object, name => !known.has(name))
}

/**
 * Without known names in another letter case: a server that ignores case would read them in place of the field that was
 * checked. Only for what is never passed on as it is: guardrails do not read what is left out.
 */
export function findDistinctOthers(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  return pickFields(object, name => !known.has(name) && !known.has(foldName(name)))
}

function pickFields(object: JsonObject, isPicked: (name: string) => boolean): JsonObject | undefined {
  const names = Object.keys(object).filter(isPicked)
  return names.length === 0 ? undefined : Object.fromEntries(names.map(name => [name, object[name]]))
}

/** Whether a name differs from a known one in letter case alone: such a body is not passed on as it is. */
export function hasTwins(object: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(object).some(name => !known.has(name) && known.has(foldName(name)))
}
