// Keeps the open request windows as the store last reported them, to this replica or to another one, for when the store
// is unavailable.
import type { Log } from '../../domain/log.ts'
import type { RequestCounts, WindowCount } from '../../kv/request-windows.ts'
import { type AdmissionRequest, type Store, StoreUnavailable } from '../../kv/store.ts'
import type { Replicas } from './replicas.ts'

export interface SeenWindows {
  /** Call this when the store has decided on a request; `isCounted` if it admitted it. */
  note(request: AdmissionRequest, counts: RequestCounts, isCounted: boolean): void
  /** The open window of a project, or of one of its users, by this process's clock; null if none is known. */
  find(projectId: string, userId: string | null): Readonly<WindowCount> | null
  sweep(now: number): void
  stop(): void
}

interface SeenWindowsDependencies {
  kv: Pick<Store, 'publishRequests' | 'subscribe'>
  replicas: Pick<Replicas, 'count'>
  now: () => number
  log: Log
}

/** Two reports of the same window differ by less than this in its end, because of clocks and latency. */
const sameEndMs = 1_000
/** User ids come from outside: without a maximum they would exhaust memory. */
const maxWindows = 100_000
const sweptEnough = 0.9 * maxWindows

export function createSeenWindows({ kv, replicas, now, log }: SeenWindowsDependencies): SeenWindows {
  const windows = createSeenTable()

  /**
   * Publishes a count to the other replicas each time that a share of the limit is used up. What they believe to be
   * left is then too high by at most one share, however unevenly the requests are spread. Two replicas need not
   * publish: what the other one may admit is one share.
   */
  function publish(projectId: string, userId: string | null, limit: number, count: number, endsInMs: number): void {
    const others = replicas.count()
    if (others < 3 || count >= limit || count % Math.max(1, Math.floor(limit / others)) !== 0) return
    kv.publishRequests({ projectId, userId, count, endsInMs }).catch((error: unknown) => {
      // Without the store no replica can be reached; the next share is published again.
      if (!(error instanceof StoreUnavailable)) log.error('requests of a window could not be published', { error })
    })
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind !== 'requests') return
    const at = now()
    update(windows.findOrMake(change.projectId, change.userId, at), change.count, at + change.endsInMs, at)
  })

  return {
    note({ projectId, userId, projectRequests, userRequests }, { now: storeNow, project, user }, isCounted) {
      const at = now()
      // From the store's clock to this one's.
      const ahead = at - storeNow
      if (project.endsAt > 0) {
        update(windows.findOrMake(projectId, null, at), project.count, project.endsAt + ahead, at)
        if (isCounted) publish(projectId, null, projectRequests, project.count, project.endsAt - storeNow)
      }
      if (userRequests === null || user.endsAt === 0) return
      update(windows.findOrMake(projectId, userId, at), user.count, user.endsAt + ahead, at)
      if (isCounted) publish(projectId, userId, userRequests, user.count, user.endsAt - storeNow)
    },
    find(projectId, userId) {
      const window = windows.find(projectId, userId)
      return window !== undefined && window.endsAt > now() ? window : null
    },
    sweep: windows.sweep,
    stop: unsubscribe,
  }
}

/** A late report must not lower the count of its window. */
function update(window: WindowCount, count: number, endsAt: number, at: number): void {
  const isSame = window.endsAt > at && Math.abs(window.endsAt - endsAt) < sameEndMs
  if (isSame && window.count >= count) return
  window.count = count
  window.endsAt = endsAt
}

interface SeenProject {
  own: WindowCount
  users: Map<string, WindowCount>
}

/** One map of projects and one of users in each: a request finds its windows without building a key. */
function createSeenTable() {
  const projects = new Map<string, SeenProject>()
  let size = 0

  function sweep(now: number): void {
    size = 0
    for (const [projectId, { own, users }] of projects) {
      for (const [userId, { endsAt }] of users) if (endsAt <= now) users.delete(userId)
      if (own.endsAt <= now && users.size === 0) projects.delete(projectId)
      else size += 1 + users.size
    }
  }

  /** At the maximum, drops closed windows first, then all if that freed too few, so that not each request sweeps. */
  function makeSpace(now: number): void {
    if (size + 2 <= maxWindows) return
    sweep(now)
    if (size <= sweptEnough) return
    projects.clear()
    size = 0
  }

  function makeProject(projectId: string): SeenProject {
    const made = { own: { count: 0, endsAt: 0 }, users: new Map<string, WindowCount>() }
    projects.set(projectId, made)
    size += 1
    return made
  }

  /** `userId` null for the window of the project itself. */
  function find(projectId: string, userId: string | null): WindowCount | undefined {
    const project = projects.get(projectId)
    return userId === null ? project?.own : project?.users.get(userId)
  }

  function make(projectId: string, userId: string | null, now: number): WindowCount {
    makeSpace(now)
    const project = projects.get(projectId) ?? makeProject(projectId)
    if (userId === null) return project.own
    const made = { count: 0, endsAt: 0 }
    project.users.set(userId, made)
    size += 1
    return made
  }

  return {
    find,
    findOrMake: (projectId: string, userId: string | null, now: number): WindowCount =>
      find(projectId, userId) ?? make(projectId, userId, now),
    sweep,
  }
}
