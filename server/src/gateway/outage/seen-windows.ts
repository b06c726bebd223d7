// What the store last reported of the open request windows, to this replica and to others, for the time when it cannot be
// asked. Counts nothing itself.
import type { Log } from '../../domain/log.ts'
import { requestsKey } from '../../kv/process/admissions.ts'
import type { RequestCounts, WindowCount } from '../../kv/request-windows.ts'
import { type AdmissionRequest, type Store, StoreUnavailable } from '../../kv/store.ts'
import { createWindowTable } from '../../kv/window-table.ts'
import type { Replicas } from './replicas.ts'

export interface SeenWindows {
  /** The store has decided on a request; `isCounted` where it admitted it. */
  note(request: AdmissionRequest, counts: RequestCounts, isCounted: boolean): void
  /** The window of a project, or of one of its users, by this process's clock; null where none is known to be open. */
  find(projectId: string, userId: string | null): Readonly<WindowCount> | null
  sweep(now: number): void
  stop(): void
}

interface SeenWindowsParts {
  kv: Pick<Store, 'kind' | 'publishRequests' | 'subscribe'>
  replicas: Pick<Replicas, 'count'>
  now: () => number
  log: Log
}

/** Ends of one window, as the clocks and the wire report them, differ by less. */
const sameEndMs = 1_000

export function createSeenWindows({ kv, replicas, now, log }: SeenWindowsParts): SeenWindows {
  const windows = createWindowTable()

  /** What is reported late must not lower a count. */
  function write(key: string, count: number, endsAt: number, at: number): void {
    const known = windows.read(key, at)
    if (known.count >= count && Math.abs(known.endsAt - endsAt) < sameEndMs) return
    windows.write(key, count, endsAt, at)
  }

  /**
   * Each time that a share of a limit is used up the other replicas hear of it: then what they believe to be left is too
   * much by at most one share, however unevenly the requests are spread. Two replicas need none: what the other one may
   * admit is one share.
   */
  function publish(projectId: string, userId: string | null, limit: number, count: number, endsInMs: number): void {
    const others = replicas.count()
    if (others < 3 || count >= limit || count % Math.max(1, Math.floor(limit / others)) !== 0) return
    kv.publishRequests({ projectId, userId, count, endsInMs }).catch((error: unknown) => {
      // Nobody can be reached; the next step is published again.
      if (!(error instanceof StoreUnavailable)) log.error('requests of a window could not be published', { error })
    })
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind !== 'requests') return
    const { projectId, userId, count, endsInMs } = change
    const at = now()
    write(requestsKey(projectId, userId), count, at + endsInMs, at)
  })

  return {
    note({ projectId, userId, projectRequests, userRequests }, { now: storeNow, project, user }, isCounted) {
      // The store in the process is never away.
      if (kv.kind === 'process') return
      const at = now()
      const noteOne = (ofUser: string | null, limit: number, { count, endsAt }: Readonly<WindowCount>): void => {
        if (endsAt === 0) return
        const endsInMs = endsAt - storeNow
        write(requestsKey(projectId, ofUser), count, at + endsInMs, at)
        if (isCounted) publish(projectId, ofUser, limit, count, endsInMs)
      }
      noteOne(null, projectRequests, project)
      if (userRequests !== null) noteOne(userId, userRequests, user)
    },
    find(projectId, userId) {
      const window = windows.read(requestsKey(projectId, userId), now())
      return window.endsAt > 0 ? window : null
    },
    sweep: windows.sweep,
    stop: unsubscribe,
  }
}
