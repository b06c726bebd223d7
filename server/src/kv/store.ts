// The contract of the key-value store: a projection of database rows, the counters of the hot path, and the event
// transport. Each method is atomic and takes one round trip. There are three implementations: in process memory, on
// Redis, and over a link to another process of the machine; server/test/kv/contract.ts tests all.
import type { TokenEstimate } from '../domain/conversation/token-estimate.ts'
import type { Activity } from './activity.ts'
import type { Budgets } from './budgets.ts'
import type { CachedAnswers } from './cached-answers.ts'
import type { Diagnostics } from './diagnostics.ts'
import type { EventStream } from './event-stream.ts'
import type { Replicas } from './replicas.ts'
import type { OpenWindow, RequestCounts } from './request-windows.ts'
import type { UsageShelf } from './usage-shelf.ts'

/** The store is unreachable, or a value in it is corrupt. The caller decides what still works without it. */
export class StoreUnavailable extends Error {
  /** The reason, one word of a fixed list, so that it may be logged. */
  readonly code: string | undefined
  constructor(code?: string, cause?: unknown) {
    super('key-value store unavailable', { cause })
    this.name = 'StoreUnavailable'
    this.code = code
  }
}

export interface Store
  extends Projection,
    Admissions,
    Budgets,
    Windows,
    Conversations,
    CachedAnswers,
    EventStream,
    Replicas,
    Diagnostics,
    Activity {
  readonly kind: 'process' | 'redis'
  /** Null in process memory, which would be lost with the rows that wait for the database. */
  readonly shelf: UsageShelf | null
  /** Resolves if the store accepts a write, otherwise throws StoreUnavailable. */
  ping(): Promise<void>
  close(): Promise<void>
}

// ── Projection ───────────────────────────────────────────────────────────────────────────────────────────────────────
// Management and the worker's sync cycle write it from database rows, each with the row's revision. An older revision
// never replaces a newer one. An equal revision is written again, to repair a corrupt value, and publishes no change.

export type ProjectStatus = 'active' | 'suspended'
export type WriteOutcome = 'stored' | 'unchanged' | 'older'

/** The project that a slug belongs to. */
export interface ProjectRef {
  projectId: string
  tenantId: string
}

/** All that the data plane needs of a project: one document, beside it the fields that the admission script reads. */
export interface StoredConfig {
  revision: number
  status: ProjectStatus
  /** JSON that the store does not interpret. */
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

/** A published change: what a replica has cached may be outdated. */
export type StoreChange =
  | { kind: 'config'; projectId: string; revision: number }
  | { kind: 'provider-keys'; tenantId: string; revision: number }
  | { kind: 'key-set'; projectId: string; revision: number }
  | { kind: 'restrictions'; projectId: string; revision: number }
  | { kind: 'kill-switches'; revision: number }
  /** A replica has joined, or an emptied store was filled again: every replica sends its heartbeat again. */
  | { kind: 'replicas' }
  /** Another replica reports the count of requests in an open window. */
  | ({ kind: 'requests' } & OpenWindow)
  /** The store responds again after an outage, during which other replicas may have counted without it. */
  | { kind: 'answers-again' }
  /** The connection for messages was lost and is back: any change may have been missed. */
  | { kind: 'resync' }

export interface Projection {
  putSlugs(entries: ReadonlyArray<{ slug: string } & ProjectRef>): Promise<void>
  findSlug(slug: string): Promise<ProjectRef | null>

  putConfig(projectId: string, config: StoredConfig): Promise<WriteOutcome>
  /** Writes many in few round trips, for the sync cycle. Outcomes have the order of the entries. */
  putConfigs(entries: ReadonlyArray<{ projectId: string } & StoredConfig>): Promise<WriteOutcome[]>
  findConfig(projectId: string): Promise<StoredConfig | null>

  /** All encrypted provider keys of one tenant, as one document. */
  putProviderKeys(tenantId: string, keys: RevisionedText): Promise<WriteOutcome>
  findProviderKeys(tenantId: string): Promise<RevisionedText | null>

  /**
   * A project's external identity provider with its keys. An empty body means none; it is stored with its revision, so
   * that an older set cannot replace it.
   */
  putKeySet(projectId: string, keySet: RevisionedText): Promise<WriteOutcome>
  findKeySet(projectId: string): Promise<RevisionedText | null>

  /** The restricted end users of one project; null if the project never restricted any. */
  putRestrictions(projectId: string, restrictions: RevisionedText): Promise<WriteOutcome>
  findRestrictions(projectId: string): Promise<RevisionedText | null>

  /** The complete list of switches that are on, at one revision. */
  putKillSwitches(switches: KillSwitches, revision: number): Promise<WriteOutcome>
  /** Null if the list was never written: the caller must read the database. */
  findKillSwitches(): Promise<(KillSwitches & { revision: number }) | null>

  /** Removes the data of a deleted project or tenant, except conversations, and publishes the change. Idempotent. */
  forgetProject(project: { projectId: string; slug: string }): Promise<void>
  forgetTenant(tenantId: string): Promise<void>

  /** Called by the worker before a complete sync, which includes the kill switches. */
  startFilling(): Promise<string>
  /**
   * Called after that sync, with what `startFilling` returned. False, and without effect, if the store was emptied
   * since then. The mark never expires, but an emptied store has lost it. The first call on an empty store publishes a
   * change of kind `replicas`.
   */
  markSeeded(filling: string): Promise<boolean>
  isSeeded(): Promise<boolean>

  /** The listener gets the changes of all replicas, this one included, after the write. Returns the unsubscriber. */
  subscribe(listener: (change: StoreChange) => void): () => void
}

// ── Admission ────────────────────────────────────────────────────────────────────────────────────────────────────────
// Checks kill switches, project status, both request limits and the token budget in one step. A rejection charges
// nothing.

export interface AdmissionRequest {
  requestId: string
  /** The replica that settles the reservation, without spaces. */
  holder: string
  projectId: string
  tenantId: string
  /** The end user; counters of users are separate for each project. */
  userId: string
  /** Revision of the config that has the limits below. */
  configRevision: number
  /** Revision of the restrictions that the end user was checked against; 0 if the project has none. */
  restrictionsRevision: number
  /** Maximum of requests in a fixed one-minute window, which opens with the first admitted request. */
  projectRequests: number
  /** Null if the user's tier has no such limit. */
  userRequests: number | null
  /** Maximum of tokens per UTC day. */
  projectTokens: number
  /** Null as in `userRequests`. */
  userTokens: number | null
  /** Null for requests without tokens (the GET routes): the budget is returned, and neither limits them nor changes. */
  tokens: TokenEstimate | null
}

/** For the rate-limit headers: the limit with the least remaining. */
export interface LimitState {
  limit: number
  remaining: number
  /** Whole seconds until the window or the day ends, at least 1; the full length of a window that is not open yet. */
  resetSeconds: number
}

export type AdmissionRefusal =
  // The store was emptied and is not filled again yet, or has no kill switches or no config of this project. Missing
  // data never means the defaults.
  | 'unseeded'
  | 'stale_config' // the store has a newer config than the caller: read it and retry
  | 'stale_restrictions' // the same for the project's restricted end users
  | 'killed'
  | 'suspended'
  | 'project_requests'
  | 'user_requests'
  | 'tokens_spent' // the day's budget is used up, or smaller than the prompt
  | 'tokens_reserved' // only open reservations prevent the admission

/** The reasons have the order of the checks. */
export type Admission =
  | { admitted: true; requests: LimitState; tokens: LimitState; reserved: number; counts: RequestCounts }
  | {
      admitted: false
      reason: AdmissionRefusal
      /** 0 if waiting does not help; 1 to 5 for `tokens_reserved`. */
      retryAfterSeconds: number
      /** For the rate-limit headers of the rejection; null if no limit was checked. */
      requests: LimitState | null
      tokens: LimitState | null
      counts: RequestCounts | null
    }

export type Settlement = 'settled' | 'unknown'

/** Tokens spent in one UTC day (`YYYY-MM-DD`), according to the database. */
export interface Spend {
  projectId: string
  day: string
  tokens: number
  users: Record<string, number>
}

/** A value if it is known already, otherwise a promise. Failures are always rejected promises. */
export type MaybePromise<T> = T | Promise<T>

export interface Admissions {
  /**
   * A retry with a request id whose reservation is open is admitted with that reservation and counts nothing. After
   * StoreUnavailable the outcome is unknown: retry or withdraw. The store never admits a request whose caller has
   * stopped waiting, so a request that it reads late charges nothing. Requests without tokens reserve nothing and are
   * not settled.
   */
  admit(request: AdmissionRequest): MaybePromise<Admission>
  /**
   * Reverts an admission with tokens whose outcome is unknown: its reservation, and its count in windows that are still
   * open. Returns `unknown` if there is no such reservation.
   */
  withdraw(projectId: string, requestId: string): Promise<Settlement>
  /**
   * Adds requests that replicas admitted without the store, once per report id. Opens windows that are not open. If the
   * ends differ, the earlier one stays, because the first admitted request opens a window.
   */
  addRequests(reportId: string, windows: readonly OpenWindow[]): Promise<void>
  /**
   * Replaces the reservation by spent tokens of the day it was made in, once. Returns `unknown` if it was settled
   * before or never made. Call this before the usage row is written: a restore in between would count the row twice.
   */
  settle(projectId: string, requestId: string, tokens: number): MaybePromise<Settlement>
  /** Renews the lease of a long stream's reservation. `tokens` is charged if the replica dies before it settles. */
  checkpoint(projectId: string, requestId: string, tokens: number): Promise<void>
  /**
   * Settles reservations at their last checkpoint whose lease expired, or whose holder is known to have ended; returns
   * how many.
   */
  sweepReservations(projectIds: readonly string[], endedHolder?: string): Promise<number>
  /** Raises the day's counters to the database's sums; never lowers them. */
  restoreSpend(spends: readonly Spend[]): Promise<void>
  findSpend(projectId: string, day: string): Promise<number>
}

// ── Windows ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface WindowDemand {
  /** The name includes its scope, e.g. `mint:<key id>`. */
  name: string
  limit: number
  windowSeconds: number
}

/** The windows that a `take` counted in. The end identifies one window of a name; `count` is the count after it. */
export type WindowReceipt = ReadonlyArray<{ name: string; endsAt: number; count: number }>

/** If several windows are full, the rejection names the one that ends last. */
export type WindowOutcome =
  | { admitted: true; receipt: WindowReceipt }
  | { admitted: false; name: string; retryAfterSeconds: number }

export interface Windows {
  /** Counts one in each of the fixed windows, or in none. The names must be distinct. */
  take(demands: readonly WindowDemand[]): Promise<WindowOutcome>
  /**
   * Reverts what a `take` counted, for work that did not happen. Never makes a count negative or changes a later
   * window.
   */
  giveBack(receipt: WindowReceipt): Promise<void>
}

// ── Conversations ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The maximum of all messages of one conversation together; the oldest are dropped first. */
export const conversationBytes = 1_048_576

export interface Conversations {
  /**
   * Appends one finished turn; concurrent turns do not interleave. Keeps the newest `keep` messages for `ttlSeconds`,
   * and of those the newest that fit into `conversationBytes`. If the newest message alone does not fit, none is kept.
   */
  appendTurn(key: string, messages: readonly string[], bounds: { keep: number; ttlSeconds: number }): Promise<void>
  /** Returns the newest `last` messages, oldest first. Reading renews the lifetime. */
  recallTurns(key: string, last: number, ttlSeconds: number): Promise<string[]>
  /** Deletes every conversation whose key begins with `start`. */
  forgetConversations(start: string): Promise<void>
}
