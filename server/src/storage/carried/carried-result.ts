// What a statement gives, as JSON carries it. Imports nothing: the thread of the embedded database uses it too.

export interface CarriedResult {
  rows: Record<string, unknown>[]
  /** Null for a statement that returns rows. */
  affected: number | null
}
