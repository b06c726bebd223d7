// The outcome of a check: the value as it will be stored, or an error message. The caller chooses the status of
// an error: 400 for a mint, 401 for an external subject.

import { Refusal } from './errors.ts'

export type Checked<T> = { ok: true; value: T } | { ok: false; message: string }

export function accept<T>(value: T): Checked<T> {
  return { ok: true, value }
}

export function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/** Returns the value; throws a 400 with the check's message. */
export function getChecked<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Refusal('validation_failed', { message: checked.message })
  return checked.value
}
