// The kill switches as this process knows them: for streams in flight, for faults that come before the admission, and for
// admissions without the store. Asks the store, then the database; where both are away, what was last known goes on.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { type KillSwitches, type ProjectRef, type Store, StoreUnavailable } from '../kv/store.ts'
import { killSwitchRevision, readKillSwitches, readRevision } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'

export interface KillSwitchState {
  /** Whether a switch that is known to be on covers the project; asks nobody. */
  covers(project: ProjectRef): boolean
  /** What is known is at most `maxAgeMs` old after this, or nobody can be asked; throws where nothing was ever known. */
  refresh(maxAgeMs: number): Promise<void>
  /** Throws `service_disabled` where a switch is on by what is known after a refresh. */
  refuseIfOn(project: ProjectRef, maxAgeMs: number): Promise<void>
  /** After each change of what is known, the first included where it is asked for at once. */
  onChange(listener: (known: KnownSwitches) => void): void
  stop(): void
}

interface SwitchboardParts {
  kv: Pick<Store, 'findKillSwitches' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

interface KnownSwitches {
  revision: number
  global: boolean
  tenants: ReadonlySet<string>
  projects: ReadonlySet<string>
}

export function createKillSwitchState(parts: SwitchboardParts): KillSwitchState {
  const { kv, now, log } = parts
  const listeners: Array<(known: KnownSwitches) => void> = []
  let known: KnownSwitches | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  let isOvertaken = false

  async function read(): Promise<void> {
    isOvertaken = false
    const found = (await findInStore(parts, known?.revision ?? 0)) ?? (await findInDatabase(parts))
    if (found === null && known === null) throw new Refusal('config_unavailable')
    // Also where nobody could be asked, so that the last known is not asked for at every request.
    readAt = isOvertaken ? Number.NEGATIVE_INFINITY : now()
    if (found === null || (known !== null && found.revision <= known.revision)) return
    known = { ...found, tenants: new Set(found.tenants), projects: new Set(found.projects) }
    for (const listener of listeners) listener(known)
  }

  async function refresh(maxAgeMs: number): Promise<void> {
    // A reading under way may have begun before what the caller wants to know of.
    if (reading !== null && maxAgeMs === 0) await reading.catch(() => undefined)
    if (now() - readAt < maxAgeMs) return
    reading ??= read().finally(() => {
      reading = null
    })
    await reading
  }

  function readAtOnce(): void {
    refresh(0).catch((error: unknown) => log.error('kill switches could not be read', { error }))
  }

  function covers({ projectId, tenantId }: ProjectRef): boolean {
    return known !== null && (known.global || known.tenants.has(tenantId) || known.projects.has(projectId))
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind !== 'kill-switches' && change.kind !== 'resync') return
    isOvertaken = true
    readAt = Number.NEGATIVE_INFINITY
    readAtOnce()
  })
  // From the start on, so that there is something last known.
  readAtOnce()

  return {
    covers,
    refresh,
    async refuseIfOn(project, maxAgeMs) {
      await refresh(maxAgeMs)
      if (covers(project)) throw new Refusal('service_disabled')
    },
    onChange: listener => void listeners.push(listener),
    stop: unsubscribe,
  }
}

type Found = KillSwitches & { revision: number }

/** A store that holds older switches than are known has missed a change: then the database must be asked. */
async function findInStore({ kv }: SwitchboardParts, knownRevision: number): Promise<Found | null> {
  try {
    const found = await kv.findKillSwitches()
    return found !== null && found.revision >= knownRevision ? found : null
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

async function findInDatabase({ sql, log }: SwitchboardParts): Promise<Found | null> {
  try {
    // The revision first: a switch that is set in between comes with an older one, and is read again with its own.
    const revision = await readRevision(sql, killSwitchRevision)
    return { ...(await readKillSwitches(sql)), revision }
  } catch (error) {
    log.warn('kill switches not to be had from the database', { error })
    return null
  }
}
