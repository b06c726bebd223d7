// The contract of the replicas' heartbeats, a part of the store's: who lives, and what replicas publish to each other.
import type { OpenWindow } from './request-windows.ts'

export interface Replicas {
  /**
   * Announces that this replica lives for `lifeMs` more, or with 0 that it ends. A replica that joins is published as a
   * change, so that all of them announce again and know each other.
   */
  announceCopy(copyId: string, lifeMs: number): Promise<CopyList>
  /** Publishes to all replicas, this one included, what a window holds. */
  publishRequests(window: OpenWindow): Promise<void>
}

interface CopyList {
  /** Those that live, the one that announced itself included unless it ended; in no order. */
  ids: string[]
  /** When the store was filled: another value than before means that it was emptied. Null until it is filled. */
  filledAt: number | null
}
