// Reads the entries of a chain, newest or oldest first, and drops the old ones.

import { type Kysely, sql as text } from 'kysely'
import { type AuditEntry, noHash } from '../../domain/audit/entry.ts'
import type { Schema } from '../schema.ts'

export interface AuditFilter {
  from?: number | undefined
  to?: number | undefined
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
  outcome?: 'done' | 'refused' | undefined
}

type Database = Pick<Kysely<Schema>, 'selectFrom'>

function filtered(sql: Database, chain: string, filter: AuditFilter) {
  let rows = sql.selectFrom('audit_entries').select('entry').where('tenant_id', '=', chain)
  if (filter.from !== undefined) rows = rows.where('at', '>=', filter.from)
  if (filter.to !== undefined) rows = rows.where('at', '<', filter.to)
  if (filter.actor !== undefined) rows = rows.where('actor_id', '=', filter.actor)
  if (filter.action !== undefined) rows = rows.where('action', '=', filter.action)
  if (filter.target !== undefined) rows = rows.where('target_id', '=', filter.target)
  if (filter.outcome !== undefined) rows = rows.where('outcome', '=', filter.outcome)
  return rows
}

/** Newest first, below `before`. */
export async function listEntries(
  sql: Database,
  { chain, filter, before, limit }: { chain: string; filter: AuditFilter; before: number | null; limit: number },
): Promise<AuditEntry[]> {
  const all = filtered(sql, chain, filter).orderBy('seq', 'desc').limit(limit)
  const rows = await (before === null ? all : all.where('seq', '<', before)).execute()
  return rows.map(({ entry }) => JSON.parse(entry))
}

export async function findEntry(sql: Database, chain: string, seq: number): Promise<AuditEntry | undefined> {
  const row = await filtered(sql, chain, {}).where('seq', '=', seq).executeTakeFirst()
  return row && JSON.parse(row.entry)
}

/** Oldest first, up to `last`, as they are stored; each page has at most `limit`. */
export async function* readEntries(
  sql: Database,
  { chain, filter, after, last }: { chain: string; filter: AuditFilter; after: number; last: number },
  limit: number,
): AsyncGenerator<AuditEntry[]> {
  for (let seen = after; ; ) {
    const rows = await filtered(sql, chain, filter)
      .where('seq', '>', seen)
      .where('seq', '<=', last)
      .orderBy('seq')
      .limit(limit)
      .execute()
    const entries: AuditEntry[] = rows.map(({ entry }) => JSON.parse(entry))
    if (entries.length > 0) yield entries
    const end = entries.at(-1)
    if (end === undefined || entries.length < limit) return
    seen = end.seq
  }
}

export interface AuditHead {
  seq: number
  hash: string
  start: { seq: number; hash: string; signature: string | null }
}

export async function getHead(sql: Database, chain: string): Promise<AuditHead> {
  const row = await sql.selectFrom('audit_heads').selectAll().where('tenant_id', '=', chain).executeTakeFirst()
  if (row === undefined) return { seq: 0, hash: noHash, start: { seq: 0, hash: noHash, signature: null } }
  const start = { seq: row.start_seq, hash: row.start_hash, signature: row.start_signature }
  return { seq: row.seq, hash: row.hash, start }
}

/** The newest entry before that time of a chain that has one. */
export async function findOldChain(sql: Database, before: number) {
  const oldest = await sql
    .selectFrom('audit_entries')
    .select('tenant_id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return null
  const { tenant_id: chain } = oldest
  const last = await sql
    .selectFrom('audit_entries')
    .select('entry')
    .where('tenant_id', '=', chain)
    .where('at', '<', before)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const { seq, hash }: AuditEntry = JSON.parse(last.entry)
  return { chain, seq, hash }
}

/** From now on the chain begins behind that entry. */
export async function startChainAt(
  sql: Kysely<Schema>,
  { chain, seq, hash }: { chain: string; seq: number; hash: string },
  signature: string,
): Promise<void> {
  await sql
    .updateTable('audit_heads')
    .set({ start_seq: seq, start_hash: hash, start_signature: signature })
    .where('tenant_id', '=', chain)
    .where('start_seq', '<', seq)
    .execute()
}

/** Deletes at most `limit` entries up to that one; returns how many. */
export async function dropEntries(sql: Kysely<Schema>, chain: string, seq: number, limit: number): Promise<number> {
  const old = text`select seq from audit_entries where tenant_id = ${chain} and seq <= ${seq} order by seq limit ${limit}`
  const { numAffectedRows } =
    await text`delete from audit_entries where tenant_id = ${chain} and seq in (${old})`.execute(sql)
  return Number(numAffectedRows)
}
