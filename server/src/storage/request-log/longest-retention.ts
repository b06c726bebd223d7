// For how many days the project that keeps its rows of requests, or their content, the longest keeps them.

import type { Kysely } from 'kysely'
import { parseLiveConfig } from '../../domain/settings/live-config.ts'
import type { Schema } from '../schema.ts'

interface Retention {
  rows: number
  content: number
}

const atOnce = 100
const shortest: Retention = { rows: 1, content: 1 }
/** Also for a project whose document cannot be read. */
const longest: Retention = { rows: 400, content: 90 }

export async function findLongestRetention(sql: Kysely<Schema>, signal: AbortSignal): Promise<Retention> {
  let found = shortest
  for (let after = ''; !signal.aborted; ) {
    const rows = await sql
      .selectFrom('live_configs')
      .select(['project_id', 'body'])
      .where('project_id', '>', after)
      .orderBy('project_id')
      .limit(atOnce)
      .execute()
    for (const { body } of rows) found = longer(found, retentionOf(body))
    if (rows.length < atOnce) return found
    after = rows.at(-1)?.project_id ?? ''
  }
  return longest
}

function longer(a: Retention, b: Retention): Retention {
  return { rows: Math.max(a.rows, b.rows), content: Math.max(a.content, b.content) }
}

function retentionOf(body: string): Retention {
  const live = parseLiveConfig(body)
  if (live === null) return longest
  const { request_log_days: rows, content_days: content } = live.settings
  return [...live.tiers, ...live.retired_tiers].reduce(
    (found, { overrides }) =>
      longer(found, { rows: overrides.request_log_days ?? 1, content: overrides.content_days ?? 1 }),
    { rows, content },
  )
}
