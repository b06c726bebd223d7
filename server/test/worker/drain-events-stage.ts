// What the tests of the event drain start from: a real store and a real database of either kind, and events to emit.
import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { type GuardrailEvent, writeGuardrailEvent } from '../../src/domain/guardrails/guardrail-event.ts'
import type { Store } from '../../src/kv/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import type { Database } from '../../src/storage/open-database.ts'
import type { WorkerDependencies } from '../../src/worker/job.ts'
import { createMemoryLog, type LogLine, openProcessStore, openRedisStore } from '../kv/stores.ts'
import { openDistributed, openMigrated } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

export const backends = ['sqlite', 'postgres'] as const
export type Backend = (typeof backends)[number]

export interface DrainStage extends WorkerDependencies {
  dialect: Database['dialect']
  databaseUrl: string | null
  lines: LogLine[]
}

/** The clock of the windows stands still: a quota is used up and stays so. */
export async function openDrainStage(backend: Backend, streamLength?: number): Promise<DrainStage> {
  const databaseUrl = backend === 'sqlite' ? null : await createDatabase(inject('postgresUrl'))
  const { sql, dialect } = databaseUrl === null ? await openMigrated() : await openDistributed(databaseUrl)
  const time = Date.now()
  const clock = { now: () => time, set: () => undefined, advance: () => undefined }
  const open = backend === 'sqlite' ? openProcessStore : openRedisStore(inject('redisUrl'))
  const kv = await open({ clock, ...(streamLength === undefined ? {} : { streamLength }) })
  const { log, lines } = createMemoryLog()
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([kv.close(), outbound.close()])
  })
  return { sql, dialect, databaseUrl, kv, outbound, now: Date.now, log, lines }
}

export function eventOf(overrides: Partial<GuardrailEvent> = {}): Record<string, string> {
  return writeGuardrailEvent({
    type: 'pii_detection',
    tenantId: randomUUID(),
    projectId: randomUUID(),
    direction: 'input',
    mode: 'enforce',
    actionTaken: 'masked',
    entityTypes: ['EMAIL_ADDRESS', 'PERSON'],
    entityCount: 3,
    requestId: randomUUID(),
    timestamp: (Date.now() / 1000).toFixed(3),
    ...overrides,
  })
}

/** The store as one sees it who takes over at once what others hold: every event comes to several workers. */
export function impatient(kv: Store): Store {
  return { ...kv, claimEvents: (consumer, count) => kv.claimEvents(consumer, count, 0) }
}

export async function run(
  job: (world: WorkerDependencies, signal: AbortSignal) => Promise<void>,
  world: WorkerDependencies,
) {
  await job(world, new AbortController().signal)
}
