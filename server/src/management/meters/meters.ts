// The meter of a tenant: where its usage is sent, in which form, and how far it is. A secret is shown only if it was
// made here, once; it is stored encrypted. meter-subjects.ts keeps the customers, test-meter.ts sends a test.

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { meterSecretContext } from '../../crypto/secrets/meter-secret.ts'
import { newWebhookSecret } from '../../crypto/secrets/webhook-signature.ts'
import { Refusal } from '../../domain/errors.ts'
import { defaultEventName, meterFormats, meterSubjects, meterValues } from '../../domain/meters/meter.ts'
import { isSigningSecret } from '../../meters/event-formats.ts'
import {
  changeMeter,
  findMeter,
  insertMeter,
  type MeterRow,
  markMeterDeleted,
  readBacklog,
} from '../../storage/meters/meter-rows.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import type { ReadTarget } from '../plane/acts/audit-facts.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { getMeter, meterPath } from './find-meter.ts'
import { type MeterBody, meterBody, stripeUrl } from './meter-fields.ts'
import { meterSubjectRoutes } from './meter-subjects.ts'
import { meterTestRoute } from './test-meter.ts'

const common = { credential: 'session', owner: 'tenant', path: meterPath } as const

/** Counting more of them would take long. */
const maxCounted = 10_000

const meterSchema = z.object({
  format: z.enum(meterFormats),
  url: z.string(),
  event_name: z.string(),
  value: z.enum(meterValues),
  subject: z.enum(meterSubjects),
  signs: z.boolean().meta({ description: 'Whether the secret signs each batch; else it is sent as a bearer token' }),
  created_at: z.string().meta({ description: 'Requests that were settled before are not sent' }),
  updated_at: z.string(),
  sent: z.int().meta({ description: 'Events that the receiver took, since the meter was created' }),
  waiting: z.int().meta({ description: `Events that wait for their first attempt; at most ${maxCounted} are counted` }),
  rejected: z
    .int()
    .meta({ description: `Events that the receiver rejected and gets again; at most ${maxCounted} are counted` }),
  dropped: z.int().meta({ description: 'Events that were deleted before the receiver took them' }),
  lag_seconds: z.number().meta({ description: 'Age of the oldest request whose event waits; 0 if none does' }),
  last_sent_at: z.string().nullable(),
  last_error: z
    .object({
      at: z.string(),
      status: z.int().nullable().meta({ description: 'Null without a response' }),
      reason: z.string().nullable().meta({ description: 'Null if the status says it all' }),
    })
    .nullable(),
  retry_at: z.string().nullable().meta({ description: 'When an unavailable receiver is tried again; else null' }),
})
const withSecretSchema = meterSchema.extend({
  secret: z.string().optional().meta({ description: 'A secret that was made here; only this response contains it' }),
})

export function meterRoutes(management: ManagementDependencies): Route[] {
  return [...oneMeterRoutes(management), ...meterSubjectRoutes(management), meterTestRoute(management)]
}

/** How far the meter is changes by itself, and is no part of an act. */
const readSettings: ReadTarget = (sql, { tenant }) =>
  sql
    .selectFrom('meters')
    .select(['format', 'url', 'ciphertext', 'event_name', 'value', 'subject'])
    .where('tenant_id', '=', tenant)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

function oneMeterRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      method: 'GET',
      operation: 'getMeter',
      permission: 'billing:read',
      summary: 'Get the meter of a tenant, how far behind it is, and its last error',
      answers: { 200: meterSchema },
      refusals: ['meter_not_found'],
      async handle({ owned }) {
        return { status: 200, body: await show(management, await getMeter(sql, owned.tenant.id)) }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      operation: 'setMeter',
      audit: { action: 'meter.put', target: 'tenantId', read: readSettings },
      permission: 'billing:write',
      stepUp: 'with_factor',
      summary: 'Send one event for each settled request to a billing system; unsent ones are sent in the new form',
      body: meterBody,
      answers: { 200: withSecretSchema },
      refusals: ['invalid_base_url'],
      async handle({ owned, body }) {
        const url = await getAllowedUrl(management.outbound, urlOf(body))
        const secret = await storeMeter(management, owned.tenant.id, { ...body, url })
        const shown = await show(management, await getMeter(sql, owned.tenant.id))
        return { status: 200, body: secret === null ? shown : { ...shown, secret } }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operation: 'deleteMeter',
      audit: { action: 'meter.delete', target: 'tenantId', read: readSettings },
      permission: 'billing:write',
      stepUp: 'with_factor',
      summary: 'Delete the meter of a tenant, its subjects and its unsent events',
      answers: { 204: null },
      refusals: ['meter_not_found'],
      async handle({ owned }) {
        await transact(sql, async trx => {
          if (!(await markMeterDeleted(trx, owned.tenant.id, now()))) throw new Refusal('meter_not_found')
        })
        return { status: 204 }
      },
    }),
  ]
}

function urlOf({ url, format }: MeterBody): string {
  if (url !== undefined) return url
  if (format === 'stripe') return stripeUrl
  throw new Refusal('validation_failed', { message: 'url is required' })
}

/** Returns the secret if it was made here. */
async function storeMeter(
  management: ManagementDependencies,
  tenantId: string,
  body: MeterBody & { url: string },
): Promise<string | null> {
  const { sql, randomId } = management
  if (body.format === 'stripe' && body.event_name === undefined) {
    throw new Refusal('validation_failed', { message: 'event_name is required' })
  }
  // Made once, since the transaction may run more than once.
  const made = { id: randomId(), secret: newWebhookSecret(randomBytes) }
  return await transact(sql, async trx => {
    await lockTenant(trx, tenantId)
    const known = await findMeter(trx, tenantId)
    const id = known?.id ?? made.id
    const { secret, sealed } = secretOf(management, known, { ...body, id, tenantId, made: made.secret })
    const settings = settingsOf(body, sealed, management.now())
    if (known === null) await insertMeter(trx, id, tenantId, settings)
    else await changeMeter(trx, id, settings)
    return secret
  })
}

interface Sealed {
  ciphertext: string
  signs: 0 | 1
}

interface SecretPlace extends MeterBody {
  url: string
  id: string
  tenantId: string
  /** A new one, to be used if there must be one. */
  made: string
}

/** A stored secret is never sent to another address than the one that it was given for. */
function secretOf(
  { secretBox }: ManagementDependencies,
  known: MeterRow | null,
  { secret, format, url, id, tenantId, made }: SecretPlace,
): { secret: string | null; sealed: Sealed } {
  const stays = known !== null && known.format === format && known.url === url
  if (secret === undefined && stays) return { secret: null, sealed: known }
  if (secret === undefined && format === 'stripe') {
    throw new Refusal('validation_failed', { message: 'secret is required' })
  }
  const used = secret ?? made
  const ciphertext = secretBox.seal(used, meterSecretContext({ tenantId, meterId: id, format, url }))
  const signs = format === 'cloudevents' && isSigningSecret(used)
  return { secret: secret === undefined ? made : null, sealed: { ciphertext, signs: signs ? 1 : 0 } }
}

function settingsOf(body: MeterBody & { url: string }, { ciphertext, signs }: Sealed, time: number) {
  const { format, url, value, subject, event_name = defaultEventName } = body
  return { format, url, value, subject, event_name, ciphertext, signs, updated_at: time }
}

async function show({ sql, now }: ManagementDependencies, meter: MeterRow) {
  const { waiting, rejected, oldestAt } = await readBacklog(sql, meter.id, maxCounted)
  const { last_error_at: failedAt, last_status: status, last_error: reason } = meter
  return {
    format: meter.format,
    url: meter.url,
    event_name: meter.event_name,
    value: meter.value,
    subject: meter.subject,
    signs: meter.signs === 1,
    created_at: isoTime(meter.created_at),
    updated_at: isoTime(meter.updated_at),
    sent: meter.sent,
    waiting,
    rejected,
    dropped: meter.dropped,
    lag_seconds: oldestAt === null ? 0 : Math.max(0, now() - oldestAt) / 1000,
    last_sent_at: isoTime(meter.last_sent_at),
    last_error: failedAt === null ? null : { at: isoTime(failedAt), status, reason },
    retry_at: meter.failures === 0 ? null : isoTime(meter.retry_at),
  }
}
