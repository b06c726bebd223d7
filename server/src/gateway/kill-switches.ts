// Caches the kill switches in this process: for calls in flight, for errors that precede the admission, and for
// admissions without the store.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { SwitchScope } from '../domain/requests/request-record.ts'
import { findSwitch, isAnyOn, type SwitchesOn } from '../kv/covering-switches.ts'
import { type DocumentSource, ProjectedDocument } from '../kv/projected-document.ts'
import type { KillSwitches, ProjectRef, Store } from '../kv/store.ts'
import { killSwitchRevision, readKillSwitches, readRevision } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'

export interface KillSwitchState {
  /** Whether any cached switch is on: while none is, nothing is covered. */
  readonly state: { readonly isAnyOn: boolean }
  /** The cached switch that is on and covers the project, or null. Reads neither store nor database. */
  find(project: ProjectRef): SwitchScope | null
  /**
   * Makes the cached switches at most `maxAgeMs` old. Keeps the last known ones if neither store nor database can be
   * read, and throws if there are none.
   */
  refresh(maxAgeMs: number): Promise<void>
  /** Refreshes, then throws `service_disabled` if a switch that is on covers the project. */
  refuseIfOn(project: ProjectRef, maxAgeMs: number): Promise<void>
  /** The listener runs after each change, including the first read if it was added before that read ended. */
  onChange(listener: (known: KnownSwitches) => void): void
  /** Whether the store was unavailable at the last read. */
  isStoreUnavailable(): boolean
  stop(): void
}

interface KillSwitchDependencies {
  kv: Pick<Store, 'findKillSwitches' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

interface KnownSwitches extends SwitchesOn {
  revision: number
}

export function createKillSwitchState(dependencies: KillSwitchDependencies): KillSwitchState {
  const { kv, log } = dependencies
  const listeners: Array<(known: KnownSwitches) => void> = []
  const state = { isAnyOn: false }
  const onChange = (known: KnownSwitches): void => {
    state.isAnyOn = isAnyOn(known)
    for (const listener of listeners) listener(known)
  }
  let isStoreUnavailable = false
  const noteStore = (isUnavailable: boolean): void => {
    isStoreUnavailable = isUnavailable
  }
  const document = new ProjectedDocument({ ...switchSource(dependencies, noteStore), onChange }, null)

  async function refresh(maxAgeMs: number): Promise<void> {
    const known = await document.getWithin(maxAgeMs)
    if (known === null) throw new Refusal('config_unavailable')
  }

  function readAtOnce(): void {
    refresh(0).catch((error: unknown) => log.error('kill switches could not be read', { error }))
  }

  function find(project: ProjectRef): SwitchScope | null {
    const { known } = document
    return known === null ? null : findSwitch(known, project)
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind !== 'kill-switches' && change.kind !== 'resync') return
    document.supersede()
    readAtOnce()
  })
  // At the start, so that there are last known switches in an outage.
  readAtOnce()

  return {
    state,
    find,
    refresh,
    async refuseIfOn(project, maxAgeMs) {
      await refresh(maxAgeMs)
      const scope = find(project)
      if (scope !== null) throw refusalOfSwitch(scope)
    },
    onChange: listener => void listeners.push(listener),
    isStoreUnavailable: () => isStoreUnavailable,
    stop: unsubscribe,
  }
}

/** Null for one that this process does not know yet. */
export function refusalOfSwitch(scope: SwitchScope | null): Refusal {
  return new Refusal('service_disabled', scope === null ? {} : { exceeded: { level: scope, period: null } })
}

function switchSource(
  { kv, sql, now, log }: KillSwitchDependencies,
  noteStore: (isUnavailable: boolean) => void,
): DocumentSource<null, KnownSwitches> {
  return {
    now,
    // Each caller passes the maximum age that it accepts.
    lifeMs: Number.POSITIVE_INFINITY,
    async fromStore(_, known) {
      const found = await kv.findKillSwitches()
      noteStore(false)
      return found && parseSwitches(found, known)
    },
    async fromDatabase(_, known) {
      // The revision is read first: a switch set between the two reads then has an older revision than its own, and is
      // read again with its own.
      const revision = await readRevision(sql, killSwitchRevision)
      return parseSwitches({ ...(await readKillSwitches(sql)), revision }, known)
    },
    onUnavailable(from, _, error) {
      if (from === 'store') noteStore(true)
      else log.warn('kill switches could not be read from the database', { error })
    },
  }
}

function parseSwitches(found: KillSwitches & { revision: number }, known: KnownSwitches | null): KnownSwitches {
  if (known?.revision === found.revision) return known
  return { ...found, tenants: new Set(found.tenants), projects: new Set(found.projects) }
}
