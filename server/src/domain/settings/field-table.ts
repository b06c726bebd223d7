// The rows of a table of settings: the type of a field, its default and its meaning.

import type { FieldType } from './field-types.ts'

interface FieldOptions<T> {
  /** Also the value in projects, drafts and stored documents that are older than the field. */
  default: T
  /** Describes the field in the OpenAPI document and docs/settings.md. */
  meaning: string
  /** A tier must not override it. */
  isProjectOnly?: true
  /**
   * The field is as old as the settings: it has its own column, and a stored document without it is invalid.
   * New fields are stored in the column `added_settings` and need no migration.
   */
  hasColumn?: true
}

type FieldRow<T = unknown> = FieldOptions<T> & { type: FieldType<T> }
export type FieldTable = Readonly<Record<string, FieldRow>>

export function field<T, Flags extends Pick<FieldOptions<T>, 'isProjectOnly' | 'hasColumn'>>(
  type: FieldType<T>,
  options: Flags & Pick<FieldOptions<NoInfer<T>>, 'default' | 'meaning'>,
) {
  return { type, ...options }
}
