// Finds who last changed each of some things: one query, which reads the newest entries of each by the index of
// targets.

import { type Kysely, sql as text } from 'kysely'
import type { AuditEntry } from '../../domain/audit/entry.ts'
import type { Schema } from '../schema.ts'

interface ChangedThings {
  chain: string
  /** The acts that change such things. */
  actions: readonly string[]
  /** Ids such as names are unique in a project only. Null for things whose ids are unique. */
  projectId: string | null
  targets: readonly string[]
}

/** The newest change of each; what was never changed has none. Entries of old versions count as changes. */
export async function findLastChanges(
  sql: Kysely<Schema>,
  { chain, actions, projectId, targets }: ChangedThings,
): Promise<AuditEntry[]> {
  const wanted = text.join([...new Set(targets)].map(id => text`(${id})`))
  const isAct = text`action in (${text.join([...actions])})`
  const inProject = projectId === null ? text`` : text`and project_id = ${projectId}`
  const newest = text`select entry from audit_entries where tenant_id = ${chain} and target_id = wanted.id
    and ${isAct} and outcome = 'done' and coalesce(is_change, 1) = 1 ${inProject}
    order by seq desc limit 1`
  // A join would let PostgreSQL read the whole chain.
  const { rows } = await text<{ entry: string | null }>`with wanted (id) as (values ${wanted})
    select (${newest}) as entry from wanted`.execute(sql)
  return rows.flatMap(({ entry }) => (entry === null ? [] : [JSON.parse(entry)]))
}
