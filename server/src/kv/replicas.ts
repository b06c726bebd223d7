// The part of the store's contract for replicas: their heartbeats, and the counts that they publish to each other.
import type { OpenWindow } from './request-windows.ts'

export interface Replicas {
  /**
   * Sends this replica's heartbeat: it counts as running for `lifeMs`, with 0 it has ended. A replica that joins is
   * published as a change, so that all of them announce themselves again and know each other.
   */
  announceReplica(replicaId: string, lifeMs: number): Promise<ReplicaList>
  /** Publishes a window's count to all replicas, this one included. */
  publishRequests(window: OpenWindow): Promise<void>
}

interface ReplicaList {
  /** The replicas that are running, the calling one included unless it has ended; in no order. */
  ids: string[]
  /** When the store was filled; null until then. A changed value means that the store was emptied meanwhile. */
  filledAt: number | null
}
