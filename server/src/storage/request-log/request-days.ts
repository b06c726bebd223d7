// The storage of the request log by day, as its readers and writers see it on both databases.

import type { Kysely } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import type { Dialect } from '../migrate.ts'
import type { RequestTables } from './request-tables.ts'

/** A day as `2026-11-28`, UTC. */
export interface RequestDays {
  readonly dialect: Dialect
  /** All days that have storage, the newest first. */
  list(): Promise<readonly string[]>
  /** Creates the storage of a day. Does nothing if it exists. */
  create(day: string): Promise<void>
  /** Where the rows of a day are; every query is narrowed to the ids of the day as well. */
  of(day: string): Kysely<RequestTables>
  /** Deletes the storage of a day with all its rows. */
  drop(day: string): Promise<void>
  close(): Promise<void>
}

/** What the storage of the request log consists of. */
export interface RequestLogDays {
  requestDays: RequestDays
  contentDays: RequestDays
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

export function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

/** The first id of a day, and that of the next one. */
export function idsOf(day: string): readonly [from: string, to: string] {
  return [startIdOf(startOf(day)), startIdOf(startOf(day) + dayMs)]
}

/** Sorts before every id of that millisecond and after those of earlier ones. */
export function startIdOf(millis: number): string {
  const hex = Math.max(0, millis).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

/** Epoch ms of the request. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
