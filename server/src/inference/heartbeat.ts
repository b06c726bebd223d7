// Tells gateways in other processes that their calls are worked on, as long as no answer has begun: how long a provider may
// take is judged here, and all that a gateway needs to know meanwhile is that this process lives. Knows no calls.

import { createLiveSet, type Slot } from '../collections/live-set.ts'
import type { PlaneResponse } from '../http/exchange.ts'

export interface Heartbeat {
  begin(response: PlaneResponse): Slot<PlaneResponse>
  end(seat: Slot<PlaneResponse>): void
  stop(): void
}

/** Well within what proxies in between let pass in silence. */
const maxMs = 15_000
/** A sign may come late, or not at all where the process is held up. */
const signsInTime = 3

/** For gateways that wait for `waitMs`. One timer for all calls: each hears within its interval. */
export function createHeartbeat(waitMs: number): Heartbeat {
  const unanswered = createLiveSet<PlaneResponse>()
  const timer = setInterval(() => unanswered.members().forEach(give), Math.min(maxMs, waitMs / signsInTime))
  timer.unref()
  return {
    begin: response => unanswered.add(response),
    end: seat => unanswered.remove(seat),
    stop: () => clearInterval(timer),
  }
}

function give(response: PlaneResponse): void {
  const { req } = response
  // HTTP/1.0 has no interim answers; the plain reader reads none of it.
  const isOld = 'httpVersion' in req && req.httpVersion !== '1.1'
  if (!response.headersSent && !response.destroyed && !isOld) response.writeProcessing()
}
