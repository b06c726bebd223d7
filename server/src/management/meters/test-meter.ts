// Sends an event that counts nothing to the receiver of a meter, and returns what became of it.

import { z } from 'zod'
import { meterSecretContext } from '../../crypto/secrets/meter-secret.ts'
import { Refusal } from '../../domain/errors.ts'
import { sendTestEvent } from '../../meters/send-events.ts'
import { listCustomers } from '../../storage/meters/subjects.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { getMeter, meterPath } from './find-meter.ts'

const testsPerMinute = 10
const timeoutMs = 10_000

export function meterTestRoute(management: ManagementDependencies): Route {
  return route({
    credential: 'session',
    owner: 'tenant',
    method: 'POST',
    path: `${meterPath}/test`,
    operation: 'testMeter',
    audit: null,
    permission: 'billing:write',
    summary: 'Send an event with the value 0, and return whether the receiver took it; at most 10 a minute',
    answers: {
      200: z.object({
        delivered: z.boolean(),
        status: z.int().nullable().meta({ description: 'HTTP status of a failure; null without a response' }),
        reason: z.string().nullable(),
      }),
    },
    refusals: ['meter_not_found', 'meter_test_rate_limited'],
    async handle({ owned }) {
      const failure = await sendTest(management, owned.tenant.id)
      const { status, reason } = failure ?? { status: null, reason: null }
      return { status: 200, body: { delivered: failure === null, status, reason } }
    },
  })
}

async function sendTest(
  { sql, windows, outbound, secretBox, randomId, now }: ManagementDependencies,
  tenantId: string,
) {
  const meter = await getMeter(sql, tenantId)
  const { id: meterId, format, url, event_name: eventName, value, ciphertext } = meter
  const taken = await windows.take([{ name: `test-meter:${tenantId}`, limit: testsPerMinute, windowSeconds: 60 }])
  if (!taken.admitted) {
    throw new Refusal('meter_test_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
  }
  const secret = secretBox.open(ciphertext, meterSecretContext({ tenantId, meterId, format, url }))
  // Stripe wants a customer of its own.
  const [first] = await listCustomers(sql, { tenantId, meterId }, { after: null, limit: 1 })
  const test = { id: `test-${randomId()}`, customer: first?.customer ?? 'test' }
  const receiver = { tenantId, format, url, eventName, value, secret }
  const signal = new AbortController().signal
  return await sendTestEvent(outbound, receiver, test, { now, timeoutMs, signal })
}
