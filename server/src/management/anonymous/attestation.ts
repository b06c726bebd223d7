// What every kind of attestation is to the route that mints for anonymous users. A new kind is one file that implements
// this, a word in `domain/settings/anonymous-rules.ts` and a line in `attestations.ts`.

import type { MaybePromise } from '../../kv/store.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** What a client shows, and where. */
export interface Evidence {
  token: string
  projectId: string
  tenantId: string
  network: string
  /** The project's secret for this kind; empty for a kind without one. */
  secret: string
}

/** How long an id must be remembered at least, so that evidence is accepted once. */
export interface EvidenceId {
  id: string
  rememberSeconds: number
}

export interface Attestation {
  /** What the project's secret is, checked when it is stored; null for a kind that needs none. */
  readonly secret: { form: RegExp; words: string } | null
  /**
   * Checks what can be checked without asking about this evidence elsewhere, and identifies it; null if it is not
   * genuine. Throws `attestation_unavailable` if nobody can say at the moment.
   */
  identify(evidence: Evidence): MaybePromise<EvidenceId | null>
  /** Runs once for each id, and only while the address has tokens left. Throws as `identify` does. */
  confirm(evidence: Evidence): Promise<boolean>
}

export type AttestationDependencies = Pick<ManagementDependencies, 'outbound' | 'now' | 'log'> &
  Pick<ManagementDependencies['anonymous'], 'challengeKey' | 'services'>
