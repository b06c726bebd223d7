// What the tests of webhook deliveries start from: a database with tenants and webhooks, workers with a manual clock,
// and a receiver that may be down. Signatures are computed here by the convention's text, not by the product.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Kysely } from 'kysely'
import { inject, onTestFinished } from 'vitest'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { newWebhookSecret, webhookSecretContext } from '../../../src/crypto/secrets/webhook-signature.ts'
import type { TenantEventType } from '../../../src/domain/webhooks/tenant-events.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createOutbound, type Outbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { transact } from '../../../src/storage/transact.ts'
import { recordTenantEvent } from '../../../src/storage/webhooks/tenant-events.ts'
import { type Delivering, deliverWebhooks } from '../../../src/worker/webhooks/deliver-webhooks.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

export interface Received {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  timestamp: number
  signatures: string[]
}

export type Respond = (response: ServerResponse, received: Received) => void | Promise<void>

export interface Receiver {
  url(path?: string): string
  received: Received[]
  /** Of all requests from now on. */
  respond(how: Respond): void
  stop(): Promise<void>
  /** Listens on the same port again. */
  start(): Promise<void>
}

export const answer =
  (status: number, headers: Record<string, string> = {}): Respond =>
  response =>
    void response.writeHead(status, headers).end()

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let how: Respond = answer(204)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const entry = {
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      timestamp: Number(request.headers['webhook-timestamp']),
      signatures: String(request.headers['webhook-signature']).split(' '),
    }
    received.push(entry)
    await how(response, entry)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  onTestFinished(stop)
  return {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    received,
    respond(next) {
      how = next
    },
    stop,
    start: async () => void (await listen(port)),
  }
}

export function signatureOf(secret: string, { id, timestamp, body }: Received): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

const postgresUrl = inject('postgresUrl')
export const backends = postgresUrl === '' ? ['SQLite'] : ['SQLite', 'PostgreSQL']

/** A second one on PostgreSQL is another replica's. */
async function openBoth(backend: string): Promise<[Database, Database]> {
  if (backend === 'SQLite') {
    const database = await openMigrated()
    return [database, database]
  }
  const url = await createDatabase(postgresUrl)
  return [await openDistributed(url), await openDistributed(url)]
}

export async function openStage(backend: string) {
  const [first, second] = await openBoth(backend)
  const { sql } = first
  const clock = createHandClock(Date.UTC(2026, 4, 1))
  const { log, lines } = createMemoryLog()
  const secretBox = createSecretBox({ current: randomBytes(32), previous: [] })
  const outbound = createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log })
  onTestFinished(() => outbound.close())
  const outcomes: string[] = []

  function startWorker(more: { outbound?: Outbound; isSecond?: true } & Partial<Delivering> = {}) {
    const kv = createProcessStore({ now: clock.now, log })
    const metrics = { webhookAttempted: (outcome: string) => void outcomes.push(outcome) }
    const job = deliverWebhooks({ secretBox, randomId: randomUUID, metrics, pollMs: 5, ...more })
    const ending = new AbortController()
    const database = more.isSecond ? second.sql : sql
    const dependencies = { sql: database, kv, outbound: more.outbound ?? outbound, now: clock.now, log }
    const running = job.run(dependencies, ending.signal)
    const stop = async () => {
      ending.abort()
      await running
      await kv.close()
    }
    onTestFinished(stop)
    return { stop }
  }

  return {
    sql,
    second: second.sql,
    clock,
    lines,
    secretBox,
    outcomes,
    startWorker,
    ...webhooksOf(sql, clock.now, secretBox),
  }
}

function webhooksOf(sql: Kysely<Schema>, now: () => number, secretBox: ReturnType<typeof createSecretBox>) {
  async function addWebhook(url: string, more: { tenantId?: string; types?: TenantEventType[]; isSlow?: true } = {}) {
    const { tenantId = randomUUID(), types } = more
    const [id, secret] = [randomUUID(), newWebhookSecret(randomBytes)]
    await sql
      .insertInto('webhooks')
      .values({
        id,
        tenant_id: tenantId,
        url,
        types: types === undefined ? null : JSON.stringify(types),
        ciphertext: secretBox.seal(secret, webhookSecretContext({ tenantId, webhookId: id, url })),
        previous_until: null,
        created_at: now(),
        due_at: null,
        is_slow: more.isSlow ? 1 : 0,
        claim: null,
        claimed_until: 0,
      })
      .execute()
    return { id, tenantId, secret }
  }
  const record = (tenantId: string, deployment = 1) =>
    transact(sql, trx =>
      recordTenantEvent(
        trx,
        { tenantId, projectId: null, at: now() },
        { type: 'settings_deployed', data: { deployment } },
      ),
    )
  const deliveriesOf = (webhookId: string) =>
    sql
      .selectFrom('webhook_deliveries')
      .select(['id', 'status', 'attempts', 'last_status', 'next_attempt_at', 'created_at'])
      .where('webhook_id', '=', webhookId)
      .orderBy('id')
      .execute()
  return { addWebhook, record, deliveriesOf }
}
