// Reads fields of an Anthropic request by their type: absent and null are the same, and an invalid field is a 400 in
// Anthropic's words.

import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import { findField } from '../request-fields.ts'

/** The path of a field as Anthropic writes it: `messages.0.content.1.text`. */
export function refuseField(path: string, message: string): never {
  throw new Refusal('invalid_request', { message: `${path}: ${message}`, param: path })
}

export function refuseMissing(path: string): never {
  refuseField(path, 'Field required')
}

export function refuseType(path: string, type: 'string' | 'boolean' | 'number' | 'array' | 'object'): never {
  refuseField(path, `Input should be a valid ${type}`)
}

export function findText(object: JsonObject, name: string, path: string): string | undefined {
  const value = findField(object, name)
  if (value === undefined || typeof value === 'string') return value
  refuseType(`${path}.${name}`, 'string')
}

export function getText(object: JsonObject, name: string, path: string): string {
  return findText(object, name, path) ?? refuseMissing(`${path}.${name}`)
}

export function findFlag(object: JsonObject, name: string, path: string): boolean | undefined {
  const value = findField(object, name)
  if (value === undefined || typeof value === 'boolean') return value
  refuseType(`${path}.${name}`, 'boolean')
}

export function findInteger(object: JsonObject, name: string, minimum: number, path: string): number | undefined {
  const value = findField(object, name)
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    refuseField(path, 'Input should be a valid integer')
  }
  return value >= minimum ? value : refuseField(path, `Input should be greater than or equal to ${minimum}`)
}

/** A number from 0 to 1. */
export function findShare(object: JsonObject, name: string): number | undefined {
  const value = findField(object, name)
  if (value === undefined) return undefined
  if (typeof value !== 'number') refuseType(name, 'number')
  return value >= 0 && value <= 1 ? value : refuseField(name, 'range: 0..1')
}

export function findObject(object: JsonObject, name: string, path: string): JsonObject | undefined {
  const value = findField(object, name)
  return value === undefined ? undefined : getObject(value, path)
}

export function getObject(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) refuseMissing(path)
  return isJsonObject(value) ? value : refuseType(path, 'object')
}

export function findList(object: JsonObject, name: string, path: string): unknown[] | undefined {
  const value = findField(object, name)
  if (value === undefined || Array.isArray(value)) return value
  refuseType(path, 'array')
}

export function refuseTag(path: string, tag: string, expected: readonly string[]): never {
  const tags = expected.map(one => `'${one}'`).join(', ')
  const found = tag.slice(0, 40)
  refuseField(path, `Input tag '${found}' found using 'type' does not match any of the expected tags: ${tags}`)
}
