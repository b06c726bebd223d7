// The health of the installation, as its processes share it: the versions, the database and the store, and what waits
// in the queues.
import { type Kysely, PostgresAdapter, sql as text } from 'kysely'
import { z } from 'zod'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { maxCounted, queueNames, readQueueLengths } from './queue-lengths.ts'

const ping = z.number().nullable().meta({ description: 'Milliseconds that a call took just now; null if it failed' })

const healthSchema = z.object({
  version: z.string(),
  node_version: z.string().meta({ description: 'Of the process that answers' }),
  database: z.object({ kind: z.enum(['sqlite', 'postgresql']), ping_ms: ping }),
  store: z.object({ kind: z.enum(['process', 'redis']), ping_ms: ping }),
  queues: z
    .array(
      z.object({
        queue: z.enum(queueNames),
        waiting: z.int().meta({ description: `Counted up to ${maxCounted}` }),
        due_since: z.string().nullable().meta({ description: 'Null if nothing is due' }),
      }),
    )
    .meta({ description: 'Empty while the database fails' }),
})

export function installationHealthRoutes({ sql, kv, now, settings }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/admin/health',
      operation: 'getInstallationHealth',
      summary: 'Get the versions, the state of the database and the store, and what waits in the queues',
      credential: 'admin-secret',
      owner: 'none',
      answers: { 200: healthSchema },
      async handle() {
        const [databaseMs, storeMs] = await Promise.all([
          measure(() => text`select 1`.execute(sql)),
          measure(() => kv.ping()),
        ])
        const queues = databaseMs === null ? [] : await readQueueLengths(sql, now())
        return {
          status: 200,
          body: {
            version: settings.version,
            node_version: process.versions.node,
            database: { kind: kindOf(sql), ping_ms: databaseMs },
            store: { kind: kv.kind, ping_ms: storeMs },
            queues: queues.map(({ queue, waiting, dueSince }) => ({
              queue,
              waiting,
              due_since: dueSince === null ? null : isoTime(dueSince),
            })),
          },
        }
      },
    }),
  ]
}

/** The failure is the result: it is shown. */
async function measure(call: () => Promise<unknown>): Promise<number | null> {
  const startedAt = performance.now()
  return await call().then(
    () => Math.round((performance.now() - startedAt) * 10) / 10,
    () => null,
  )
}

const kindOf = (sql: Kysely<Schema>): 'sqlite' | 'postgresql' =>
  sql.getExecutor().adapter instanceof PostgresAdapter ? 'postgresql' : 'sqlite'
