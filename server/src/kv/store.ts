// The contract of the key-value store: a projection of what the database says, the counters of the hot path, and the
// event transport. It speaks in intentions; each is one round trip and atomic. Knows nothing of HTTP or SQL.
// Two implementations keep it, in the process and on Redis; server/test/kv/contract.ts is the executable half.
import type { TokenEstimate } from '../domain/conversation/token-estimate.ts'
import type { Diagnostics } from './diagnostics.ts'
import type { Replicas } from './replicas.ts'
import type { OpenWindow, RequestCounts } from './request-windows.ts'
import type { UsageShelf } from './usage-shelf.ts'

/** The store cannot be asked just now, or what it has is damaged; the caller decides what it may do without. */
export class StoreUnavailable extends Error {
  /** Why, in one word of a fixed list that may stand in the log. */
  readonly code: string | undefined
  constructor(code?: string, cause?: unknown) {
    super('key-value store unavailable', { cause })
    this.name = 'StoreUnavailable'
    this.code = code
  }
}

export interface Store extends Projection, Admissions, Windows, Conversations, EventStream, Replicas, Diagnostics {
  readonly kind: 'process' | 'redis'
  /** Null in the process, whose memory would not outlive the rows that wait for the database. */
  readonly shelf: UsageShelf | null
  /** Resolves when the store answers and takes a write; throws StoreUnavailable when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

// ── Projection ───────────────────────────────────────────────────────────────────────────────────────────────────────
// Written by management and by the worker's sync cycle from rows of the database, each with the row's revision.
// A write with an older revision never replaces a newer one; an equal revision is written again (healing) in silence.

export type ProjectStatus = 'active' | 'suspended'
export type WriteOutcome = 'stored' | 'unchanged' | 'older'

/** What a project's slug leads to. */
export interface ProjectRef {
  projectId: string
  tenantId: string
}

/** All that the data plane needs of a project, as one document of one revision, with what the admission asks for beside it. */
export interface StoredConfig {
  revision: number
  status: ProjectStatus
  /** JSON; only the writer and the reader know its shape. */
  body: string
}

export interface RevisionedText {
  revision: number
  body: string
}

export interface KillSwitches {
  global: boolean
  tenants: string[]
  projects: string[]
}

/** Something a copy holds in memory is no longer true. */
export type StoreChange =
  | { kind: 'config'; projectId: string; revision: number }
  | { kind: 'provider-keys'; tenantId: string; revision: number }
  | { kind: 'key-set'; projectId: string; revision: number }
  | { kind: 'restrictions'; projectId: string; revision: number }
  | { kind: 'kill-switches'; revision: number }
  /** A replica has joined, or the store was filled after it had been emptied: announce again and compare. */
  | { kind: 'copies' }
  /** Another replica reports how many requests an open window holds. */
  | ({ kind: 'requests' } & OpenWindow)
  /** The store answers again after it was silent or unreachable; other replicas may have counted without it. */
  | { kind: 'answers-again' }
  /** The connection was lost and is back: anything may have changed. */
  | { kind: 'resync' }

export interface Projection {
  putSlugs(entries: ReadonlyArray<{ slug: string } & ProjectRef>): Promise<void>
  findSlug(slug: string): Promise<ProjectRef | null>

  putConfig(projectId: string, config: StoredConfig): Promise<WriteOutcome>
  /** Many at once in few round trips, for the sync cycle; outcomes in the order of the entries. */
  putConfigs(entries: ReadonlyArray<{ projectId: string } & StoredConfig>): Promise<WriteOutcome[]>
  findConfig(projectId: string): Promise<StoredConfig | null>

  /** All ciphertexts of one tenant as one document. */
  putProviderKeys(tenantId: string, keys: RevisionedText): Promise<WriteOutcome>
  findProviderKeys(tenantId: string): Promise<RevisionedText | null>

  /**
   * The external identity provider and its keys of one project. An empty body means none: it is kept and returned with
   * its revision, so that an older set cannot come back.
   */
  putKeySet(projectId: string, keySet: RevisionedText): Promise<WriteOutcome>
  findKeySet(projectId: string): Promise<RevisionedText | null>

  /** The restricted end users of one project. A project that never restricted anybody has none. */
  putRestrictions(projectId: string, restrictions: RevisionedText): Promise<WriteOutcome>
  findRestrictions(projectId: string): Promise<RevisionedText | null>

  /** The full list of switches that are on, at one revision. */
  putKillSwitches(switches: KillSwitches, revision: number): Promise<WriteOutcome>
  /** Null while none was ever written: the reader must ask the database. */
  findKillSwitches(): Promise<(KillSwitches & { revision: number }) | null>

  /** Removes what is kept of a deleted project or tenant, conversations aside, and announces it. Harmless to repeat. */
  forgetProject(project: { projectId: string; slug: string }): Promise<void>
  forgetTenant(tenantId: string): Promise<void>

  /**
   * Set by the worker after a complete sync, kill switches included; a store that was emptied has lost it. Never expires.
   * The first call on an empty store is published as a change of kind `copies`.
   */
  markSeeded(): Promise<void>
  isSeeded(): Promise<boolean>

  /** Called for each change, on this copy and on all others, never from within the write; returns the unsubscriber. */
  subscribe(listener: (change: StoreChange) => void): () => void
}

// ── Admission ────────────────────────────────────────────────────────────────────────────────────────────────────────
// Kill switches, project status, both request limits and the token reserve: all or nothing, a refusal charges nothing.

export interface AdmissionRequest {
  requestId: string
  projectId: string
  tenantId: string
  /** End user; the counters of a user are the project's own. */
  userId: string
  /** Revision of the config that the limits below were taken from. */
  configRevision: number
  /** Revision of the restrictions that the end user was checked against; 0 if the project has none. */
  restrictionsRevision: number
  /** Requests per fixed one-minute window, which opens with the first admitted request. */
  projectRequests: number
  /** Only for users whose tier bounds them; null otherwise. */
  userRequests: number | null
  /** Tokens per UTC day. */
  projectTokens: number
  /** As `userRequests`. */
  userTokens: number | null
  /** Null for requests that cost none (the GET routes): the day is looked at, and neither bounds them nor changes. */
  tokens: TokenEstimate | null
}

/** What a rate-limit header shows: the limit with least remaining. */
export interface LimitState {
  limit: number
  remaining: number
  /** Whole seconds until the window or the day ends, at least 1; for a window not yet open, its full length. */
  resetSeconds: number
}

export type AdmissionRefusal =
  // The store was emptied and not yet filled again, or holds no kill switches or no config of this project: what is
  // missing is never the default.
  | 'unseeded'
  | 'stale_config' // the store holds a newer config than the caller's: read it and ask again
  | 'stale_restrictions' // the same for the project's restricted end users
  | 'killed'
  | 'suspended'
  | 'project_requests'
  | 'user_requests'
  | 'tokens_spent' // the day is used up, or the prompt is larger than what is left of it
  | 'tokens_reserved' // only open reservations stand in the way

/** The order of the refusals is the order of the checks. */
export type Admission =
  | { admitted: true; requests: LimitState; tokens: LimitState; reserved: number; counts: RequestCounts }
  | {
      admitted: false
      reason: AdmissionRefusal
      /** 0 where waiting does not help. 1 to 5 for `tokens_reserved`. */
      retryAfterSeconds: number
      /** The states of the limits, so that refusals carry the headers too; null where none was looked at. */
      requests: LimitState | null
      tokens: LimitState | null
      counts: RequestCounts | null
    }

export type Settlement = 'settled' | 'unknown'

/** Tokens spent in one UTC day (`YYYY-MM-DD`), as the database's rows say. */
export interface Spend {
  projectId: string
  day: string
  tokens: number
  users: Record<string, number>
}

/** What is at hand is answered at once; a failure is a rejected promise even then. */
export type MaybePromise<T> = T | Promise<T>

export interface Admissions {
  /**
   * Asked again under a request id whose reservation is open, it admits with that reservation and counts nothing more.
   * After StoreUnavailable the outcome is not known: ask again, or withdraw. The store never admits a request whose caller
   * has stopped waiting, so a request that it reads late charges nothing. Requests without tokens reserve nothing and are
   * not settled.
   */
  admit(request: AdmissionRequest): MaybePromise<Admission>
  /**
   * Takes back an admission with tokens whose outcome is not known: its reservation, and its count in the windows that are
   * still open. `unknown` where there is none.
   */
  withdraw(projectId: string, requestId: string): Promise<Settlement>
  /**
   * Adds requests that replicas admitted without the store to its windows, once per report id. A window that is not open
   * opens; of two ends the earlier one stays, because the first admitted request opens a window.
   */
  addRequests(reportId: string, windows: readonly OpenWindow[]): Promise<void>
  /**
   * Turns the reservation into spent tokens of the day it was made in, once; `unknown` where it was settled before or
   * never made. To be called before the usage row is written: a restore in between would count the row twice.
   */
  settle(projectId: string, requestId: string, tokens: number): MaybePromise<Settlement>
  /** Keeps the reservation of a long stream alive, with what it would cost if its copy died now. */
  checkpoint(projectId: string, requestId: string, tokens: number): Promise<void>
  /** Settles reservations whose lease ran out (their copy died) at their last checkpoint; returns how many. */
  sweepReservations(projectIds: readonly string[]): Promise<number>
  /** Raises the day's counters to what the database knows; never lowers them. */
  restoreSpend(spends: readonly Spend[]): Promise<void>
  findSpend(projectId: string, day: string): Promise<number>
}

// ── Windows ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface WindowDemand {
  /** Already scoped by its caller, e.g. `mint:<key id>`. */
  name: string
  limit: number
  windowSeconds: number
}

/** Which windows a `take` counted in: a name, and the end that tells its windows apart. */
export type WindowReceipt = ReadonlyArray<{ name: string; endsAt: number }>

/** Of several full windows the refusal names the one that stays closed longest. */
export type WindowOutcome =
  | { admitted: true; receipt: WindowReceipt }
  | { admitted: false; name: string; retryAfterSeconds: number }

export interface Windows {
  /** Counts one against each of the fixed windows (names distinct), or against none. */
  take(demands: readonly WindowDemand[]): Promise<WindowOutcome>
  /** Gives back what a `take` counted, for work that did not happen; never below zero and never into a later window. */
  giveBack(receipt: WindowReceipt): Promise<void>
}

// ── Conversations ────────────────────────────────────────────────────────────────────────────────────────────────────

/** All messages of one conversation together; older ones give way. */
export const conversationBytes = 1_048_576

export interface Conversations {
  /**
   * Appends one finished turn; concurrent turns never mix. Keeps the newest `keep` messages for `ttlSeconds`, and of those
   * the newest that fit into `conversationBytes` together (a newest message above it leaves the conversation empty).
   */
  appendTurn(key: string, messages: readonly string[], bounds: { keep: number; ttlSeconds: number }): Promise<void>
  /** The newest `last` messages, oldest first; reading renews the life. */
  recallTurns(key: string, last: number, ttlSeconds: number): Promise<string[]>
  /** Forgets every conversation whose key begins so. */
  forgetConversations(start: string): Promise<void>
}

// ── Event stream ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The names under which `countDrops` counts what belongs to no tenant's quota. */
export const trimmedEvents = ''
export const malformedEvents = 'malformed'

export interface StreamEvent {
  id: string
  fields: Record<string, string>
}

export interface EventStream {
  /** Over the tenant's quota of the minute the event is dropped and counted. */
  emitEvent(tenantId: string, fields: Record<string, string>, quotaPerMinute: number): Promise<'stored' | 'dropped'>
  /** Takes up to `count` events without waiting, first those that were taken and not acknowledged for `idleMs`. */
  claimEvents(consumer: string, count: number, idleMs: number): Promise<StreamEvent[]>
  acknowledgeEvents(ids: readonly string[]): Promise<void>
  /** Gives up events that nobody can use: acknowledged and, once each, counted as dropped (`malformedEvents`). */
  discardEvents(ids: readonly string[]): Promise<void>
  /**
   * Events dropped so far by tenant: over quota, or trimmed off the stream's end before anybody acknowledged them
   * (`trimmedEvents`), or discarded (`malformedEvents`). Emitted = acknowledged + still in the stream + dropped.
   */
  countDrops(): Promise<Record<string, number>>
}
