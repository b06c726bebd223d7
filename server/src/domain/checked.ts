// The outcome of a rule: the value as it will be stored, or the words that refuse it. Knows no status and no surface;
// the caller decides what a refusal means there (400 at the mint, 401 for an external subject).

import { Refusal } from './errors.ts'

export type Checked<T> = { ok: true; value: T } | { ok: false; message: string }

export function accept<T>(value: T): Checked<T> {
  return { ok: true, value }
}

export function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/** The value, or a 400 with the rule's words. */
export function getChecked<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Refusal('validation_failed', { message: checked.message })
  return checked.value
}
