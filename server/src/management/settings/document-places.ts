// Errors of a document's values: each message begins with the place of the value, as `tiers[0].overrides.rpm_limit`.

import type { Checked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'

export function refuse(message: string): never {
  throw new Refusal('validation_failed', { message })
}

/** `key` is the field that no two of the list may have in common. */
export function refuseRepeated(list: string, key: string, values: readonly unknown[]): void {
  const seen = new Set<unknown>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) refuse(`${list}[${index}].${key} is there twice`)
    seen.add(value)
  }
}

export function refuseUnknown(place: string, given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined) refuse(`${place}.${unknown.slice(0, 100).toWellFormed()} is not a field of it`)
}

export function getCheckedAt<T>(place: string, checked: Checked<T>): T {
  if (!checked.ok) refuse(atPlace(place, checked.message))
  return checked.value
}

/** Puts the place in the document before the words of an error. */
export async function within<T>(place: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Refusal) || error.row.status !== 400) throw error
    const words = error.message.replace(/^overrides has an unknown field: (.*)$/s, '$1 is not a setting')
    throw new Refusal(error.code, { ...error.details, message: atPlace(place, words) })
  }
}

/** Most messages begin with the field, which the place leads to. */
function atPlace(place: string, message: string): string {
  return /^[a-z_]+[ .[]/.test(message) ? `${place}.${message}` : `${place}: ${message}`
}
