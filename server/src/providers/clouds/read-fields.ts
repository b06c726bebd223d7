// Reads the fields of a cloud's configuration as a tenant sends them. Messages must not contain a field's value.

import { accept, type Checked, refuse } from '../../domain/checked.ts'
import type { JsonObject } from '../../domain/json-object.ts'

export interface FieldRule {
  form: RegExp
  /** Continues "<field> must be". */
  shape: string
}

export const secretRule: FieldRule = {
  form: /^[\x21-\x7e]{1,4096}$/,
  shape: 'at most 4096 printable ASCII characters without white space',
}

type Fields<Names extends string> = { [Name in Names]: string }

/** Trims all values; all fields are required. */
export function readFields<Names extends string>(
  body: JsonObject,
  rules: Record<Names, FieldRule>,
): Checked<Fields<Names>> {
  const fields: Partial<Fields<Names>> = {}
  for (const name in rules) {
    const { form, shape } = rules[name]
    const value = body[name]
    if (value === undefined || value === null || value === '') return refuse(`${name} is required`)
    const trimmed = typeof value === 'string' ? value.trim() : ''
    if (!form.test(trimmed)) return refuse(`${name} must be ${shape}`)
    fields[name] = trimmed
  }
  return accept(fields as Fields<Names>)
}

export function isGiven(body: JsonObject, name: string): boolean {
  const value = body[name]
  return value !== undefined && value !== null && value !== ''
}
