// Sees to a client that reads slower than its answer comes: tells when there is room again, and gives up on one that takes
// nothing for as long as a provider may be silent. Knows nothing of what is written.

import type { PlaneResponse } from '../http/plane-exchange.ts'

export interface RoomKeeper {
  /** Calls back once the response takes more. */
  wait(onRoom: () => void): void
  /** All is written, and nobody waits for room any more. What is still there must be taken. */
  stop(): void
}

/** The runtime's own timeout: it counts what the kernel takes, and closes the connection where nobody else does. */
export function createRoomKeeper(response: PlaneResponse, patienceMs: number): RoomKeeper {
  let onRoom: (() => void) | null = null

  function drained(): void {
    const resume = onRoom
    onRoom = null
    response.setTimeout(0)
    resume?.()
  }

  return {
    wait(callback) {
      if (onRoom === null) {
        response.setTimeout(patienceMs)
        response.once('drain', drained)
      }
      onRoom = callback
    },
    stop() {
      onRoom = null
      response.off('drain', drained)
      if (!response.writableFinished) response.setTimeout(patienceMs)
    },
  }
}
