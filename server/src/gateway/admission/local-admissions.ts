// What an admission needs of this process while the store is unavailable. `gateway/outage/` implements it.

import type { Verified } from '../../domain/caller.ts'
import type { Admission, AdmissionRequest, Admissions, StoreUnavailable } from '../../kv/store.ts'
import type { ProjectConfig } from '../project-config.ts'
import type { PendingRequest } from './admission-request.ts'

/** `unseeded` for a store that was emptied, else the error that the store failed with. */
export type Outage = 'unseeded' | StoreUnavailable

/** Plain data, since every admission reads it. */
export interface OutageState {
  /** True from the first local admission until the store answers again and none was made for a few seconds. */
  isOutage: boolean
  /** Until then the store may not know of all admitted requests, and this replica admits at most its share. */
  shareUntil: number
}

export interface LocalAdmissions {
  admit(pending: PendingRequest, config: ProjectConfig, outage: Outage): Promise<LocalOutcome>
  /**
   * Call this when the store has answered for the project: the share in the next outage is computed from what the store
   * reports from now on.
   */
  noteStore(projectId: string): void
  readonly outage: Readonly<OutageState>
  /**
   * Counts a request against the share before the store decides on it; reserves no tokens. Before it refuses for a
   * limit, it throws if a kill switch, a suspension or a restriction applies.
   */
  count(request: AdmissionRequest, caller: Verified): Promise<CountedRequest>
  readonly ledger: Admissions
  counters(): Readonly<{ admissions: number; outages: number }>
  stop(): Promise<void>
}

export interface LocalOutcome {
  config: ProjectConfig
  admission: Admission
}

export interface CountedRequest {
  admission: Admission
  /** No-op the second time. */
  giveBack(): void
}
