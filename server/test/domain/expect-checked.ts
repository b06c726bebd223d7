// Reads the outcome of a rule in a test: its message, or its value.
import type { Checked } from '../../src/domain/checked.ts'

export function messageIn(checked: Checked<unknown>): string | null {
  return checked.ok ? null : checked.message
}

export function valueIn<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error(`refused: ${checked.message}`)
  return checked.value
}
