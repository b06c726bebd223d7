// What an API may answer instead of a good answer, for the suites of both REST drivers.
import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { createMemoryLog } from '../kv/stores.ts'
import type { UpstreamAnswer } from '../support/simulated/scripted-upstream.ts'

/**
 * The guarded way out as the product has it: loopback is reached because the operator named it, not because it is
 * allowed.
 */
export function openOutbound(): Outbound {
  return createOutbound({ allow: parseOutboundAllow(undefined), log: createMemoryLog().log })
}

export const commonFaults: [string, UpstreamAnswer, string, RegExp][] = [
  ['429', { status: 429, body: {} }, 'limited', /limits the rate of requests/],
  ['500', { status: 500, body: 'oops' }, 'server_fault', /failed \(500\)/],
  ['503', { status: 503, body: '' }, 'server_fault', /failed \(503\)/],
  ['garbage', { body: '<html><body>Welcome</body></html>' }, 'bad_answer', /sent an invalid response/],
  ['nothing', { body: '' }, 'bad_answer', /sent an invalid response/],
  ['half an answer', { body: '{"success":true,"resul' }, 'bad_answer', /sent an invalid response/],
  ['a redirect', { status: 302, headers: { location: 'http://169.254.169.254/' } }, 'bad_answer', /redirect/],
  ['two megabytes', { body: 'x'.repeat(2_000_000) }, 'bad_answer', /too large/],
  ['a broken connection', { hangUp: true }, 'no_answer', /closed the connection/],
]
