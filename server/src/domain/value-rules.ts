// Checks of single values that several fields share: integers, booleans, enumerated words, lists of strings.

import { accept, type Checked, refuse } from './checked.ts'

export function checkInteger(value: unknown, min: number, max: number, message: string): Checked<number> {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) return refuse(message)
  return accept(value + 0) // minus zero becomes zero
}

export function checkBoolean(value: unknown, field: string): Checked<boolean> {
  return typeof value === 'boolean' ? accept(value) : refuse(`${field} must be a boolean`)
}

export function checkOneOf<T extends string>(value: unknown, allowed: readonly T[], field: string): Checked<T> {
  const found = allowed.find(one => one === value)
  return found === undefined ? refuse(`${field} must be one of: ${allowed.join(', ')}`) : accept(found)
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}
