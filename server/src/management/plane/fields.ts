// Schemas of fields that several resources use, with the error messages of the contract.

import { z } from 'zod'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { Refusal } from '../../domain/errors.ts'
import { readIsoTime } from './iso-time.ts'

/** A display name: required, trimmed, not blank. */
export const checkName = checked<string>({ type: 'string', minLength: 1, maxLength: 255 }, cleanName)

const emailForm = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

export const checkEmail = z
  .string({ error: 'email is required' })
  .trim()
  .toLowerCase()
  .max(320, { error: 'email must be an email address' })
  .regex(emailForm, { error: 'email must be an email address' })

/** A new password. */
export const passwordField = (field: string) =>
  z
    .string({ error: `${field} is required` })
    .min(12, { error: `${field} must be at least 12 characters` })
    .max(1024, { error: `${field} must be at most 1024 characters` })

export const checkPassword = passwordField('password')

const maxOverlapSeconds = 604_800
const overlapWords = `overlap_seconds must be an integer 0-${maxOverlapSeconds}`

/** How long a key works beside the one that takes its place. */
export const overlapField = z
  .int({ error: overlapWords })
  .min(0, { error: overlapWords })
  .max(maxOverlapSeconds, { error: overlapWords })

type Rule<Value> = (value: unknown) => Checked<Value>

/** Makes a schema from a rule of the domain. `description` is its JSON schema in the OpenAPI document. */
export function checked<Value>(description: Record<string, unknown>, rule: Rule<Value>) {
  return z.unknown().meta(description).transform(applied(rule))
}

/** The same for an optional field: the rule gets undefined if it is missing. */
export function checkedOptional<Value>(description: Record<string, unknown>, rule: Rule<Value>) {
  return z.unknown().meta(description).optional().transform(applied(rule))
}

function applied<Value>(rule: Rule<Value>) {
  return (value: unknown, context: z.core.$RefinementCtx): Value => {
    const result = rule(value)
    if (result.ok) return result.value
    context.issues.push({ code: 'custom', message: result.message, input: value })
    return z.NEVER
  }
}

/** Missing and null mean `default`; any other value must be a valid name. */
export const checkKeyName = checkedOptional<string>({ type: 'string', maxLength: 255, default: 'default' }, value =>
  value === undefined || value === null ? { ok: true, value: 'default' } : cleanName(value),
)

const expiryWords = 'expires_at must be null or an ISO 8601 time in the future'

/** When something ends, null for never. `checkExpiry` also checks that it is to come. */
export const expiryField = checked<number | null>({ type: ['string', 'null'], format: 'date-time' }, value => {
  if (value === null) return accept(null)
  const time = readIsoTime(value)
  return time === null ? refuse(expiryWords) : accept(time.millis)
})

export function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw new Refusal('validation_failed', { message: expiryWords })
}

/** The body of a deletion: it confirms the deletion by the name of what is deleted. */
export function confirmationOf(words: string) {
  return z.object({ confirm: z.string({ error: words }) })
}

export function checkConfirmation(given: string, name: string, words: string): void {
  if (given !== name) throw new Refusal('validation_failed', { message: words })
}

/** The query of a paginated list. */
export const pageQuery = z.object({
  limit: z.unknown().meta({ type: 'integer', minimum: 1, maximum: 200, default: 50 }).optional(),
  cursor: z.unknown().meta({ type: 'string', description: '`next_cursor` of the previous page' }).optional(),
})
