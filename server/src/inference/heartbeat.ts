// Tells gateways in other processes that their calls are worked on, as long as no answer has begun: how long a provider may
// take is judged here, and all that a gateway needs to know meanwhile is that this process lives. Knows no calls.

import { createRoster, type Seat } from '../collections/live-set.ts'
import type { PlaneResponse } from '../http/exchange.ts'

export interface LifeSigns {
  begin(response: PlaneResponse): Seat<PlaneResponse>
  end(seat: Seat<PlaneResponse>): void
  stop(): void
}

/** Well within what proxies in between let pass in silence. */
const mostMs = 15_000
/** A sign may come late, or not at all where the process is held up. */
const signsInTime = 3

/** For gateways that wait for `waitMs`. One timer for all calls: each hears within its interval. */
export function createLifeSigns(waitMs: number): LifeSigns {
  const unanswered = createRoster<PlaneResponse>()
  const timer = setInterval(() => unanswered.members().forEach(give), Math.min(mostMs, waitMs / signsInTime))
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
