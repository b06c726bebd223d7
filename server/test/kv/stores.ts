// Stores for tests: with a manual clock, a log in memory, and unique key prefixes.
import { randomUUID } from 'node:crypto'
import type { TokenEstimate } from '../../src/domain/conversation/token-estimate.ts'
import type { Log, LogFields } from '../../src/domain/log.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createRedisStore } from '../../src/kv/redis/store.ts'
import type { AdmissionRequest, Store } from '../../src/kv/store.ts'

export interface HandClock {
  now: () => number
  set: (time: number) => void
  advance: (ms: number) => void
}

export function createHandClock(start: number): HandClock {
  let time = start
  return {
    now: () => time,
    set: next => {
      time = next
    },
    advance: ms => {
      time += ms
    },
  }
}

export interface LogLine {
  level: string
  event: string
  fields: LogFields | undefined
}

export function createMemoryLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at =
    (level: string) =>
    (event: string, fields?: LogFields): void => {
      lines.push({ level, event, fields })
    }
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines }
}

export function newPrefix(): string {
  return `test-${randomUUID()}:`
}

export interface OpenOptions {
  clock: HandClock
  streamLength?: number
  answerBytes?: number
}

export type OpenStore = (options: OpenOptions) => Promise<Store>

export const openProcessStore: OpenStore = async ({ clock, ...bounds }) =>
  createProcessStore({ now: clock.now, log: createMemoryLog().log, ...bounds })

export function openRedisStore(url: string): OpenStore {
  return ({ clock, ...bounds }) =>
    createRedisStore({
      url,
      log: createMemoryLog().log,
      clock: clock.now,
      keyPrefix: newPrefix(),
      // Long, because the machine may be busy. The timeout has its own tests.
      commandTimeoutMs: 15_000,
      startTimeoutMs: 30_000,
      ...bounds,
    })
}

/** Prepares the store to admit requests: seeded, no kill switch on, the projects deployed at revision 1. */
export async function seed(store: Store, projectIds: string[]): Promise<void> {
  await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
  for (const projectId of projectIds) await store.putConfig(projectId, { revision: 1, status: 'active', body: '{}' })
  await store.markSeeded(await store.startFilling())
}

export function requestOf(overrides: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    requestId: randomUUID(),
    holder: 'replica',
    projectId: 'project',
    tenantId: 'tenant',
    userId: 'user',
    configRevision: 1,
    restrictionsRevision: 0,
    projectRequests: 1000,
    userRequests: null,
    projectTokens: 1000,
    userTokens: null,
    tokens: null,
    ...overrides,
  }
}

export function demandOf(overrides: Partial<TokenEstimate> = {}): TokenEstimate {
  return { prompt: 10, completion: 20, ...overrides }
}
