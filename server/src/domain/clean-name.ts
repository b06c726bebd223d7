// Checks the names of tenants, projects, keys, tiers and catalog entries.

import { accept, type Checked, refuse } from './checked.ts'
import { hasControlCharacters, isBlank, isLongerThan } from './stored-text.ts'

const maxCharacters = 255

/** Returns the trimmed name. Absent, null and blank names have the same message. */
export function cleanName(value: unknown, field = 'name'): Checked<string> {
  if (value === undefined || value === null) return refuse(`${field} is required`)
  if (typeof value !== 'string') return refuse(`${field} must be a string`)
  const name = value.trim()
  if (isBlank(name)) return refuse(`${field} is required`)
  if (isLongerThan(name, maxCharacters)) return refuse(`${field} must be at most ${maxCharacters} characters`)
  if (hasControlCharacters(name) || !name.isWellFormed()) return refuse(`${field} must not contain control characters`)
  return accept(name)
}
