// Runs parts of the product as separate servers, to measure each step of a request:
//   listener  the listener alone; it reads the body and answers 1 KB itself
//   forward   listener and forwarder, for a known caller: no token, no limits
//   gateway   listener and the whole gateway, with an inference port that answers 1 KB
//   whole     listener, gateway and forwarder: the data plane without the other planes
// Usage: node bench/part.ts KIND PORT UPSTREAM_URL TOKENS_FILE [REDIS_URL]. Writes the tokens it accepts to the file.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AdmittedCall } from '../server/src/call/admitted-call.ts'
import type { InferencePort } from '../server/src/call/inference-port.ts'
import { createSigningKey } from '../server/src/crypto/keys/signing-key.ts'
import { mintToken } from '../server/src/crypto/tokens/mint-token.ts'
import { resolveForTier } from '../server/src/domain/resolved-config.ts'
import { initialLiveConfig } from '../server/src/domain/settings/live-config.ts'
import { defaultSettings } from '../server/src/domain/settings/settings.ts'
import { createConfigCache } from '../server/src/gateway/config-cache.ts'
import { createForwarder } from '../server/src/gateway/forward/forward.ts'
import { createGateway } from '../server/src/gateway/serve.ts'
import type { RequestHandler } from '../server/src/http/front/accept-request.ts'
import { createListener } from '../server/src/http/front/listener.ts'
import { readBody } from '../server/src/http/read-body.ts'
import { createProcessStore } from '../server/src/kv/process/store.ts'
import { createRedisStore } from '../server/src/kv/redis/store.ts'
import type { Store } from '../server/src/kv/store.ts'
import { createLog } from '../server/src/log/log.ts'
import { createOutbound } from '../server/src/outbound/outbound.ts'
import { parseOutboundAllow } from '../server/src/outbound/policy.ts'
import { openDatabase } from '../server/src/storage/open-database.ts'
import { createPromptVersions } from '../server/src/storage/settings/prompt-versions.ts'
import { chatCompletions, chatCompletionsEndpoint } from '../server/src/surfaces/chat-completions/chat-completions.ts'

const projects = 400
const tokensPerProject = 3
const issuer = 'http://localhost:8080'
const audience = 'service'
const bodyLimits = { maxBytes: 1_048_576, timeoutMs: 30_000 }
const now = Date.now

const [kind = '', port = '', inferenceUrl = '', tokensFile = '', redisUrl] = process.argv.slice(2)
const log = createLog({ level: 'info' })
const outbound = createOutbound({ allow: parseOutboundAllow(''), log })
const timeouts = { timeoutMs: 120_000, idleTimeoutMs: 60_000, totalTimeoutMs: 900_000 }
const forwarder = createForwarder({ outbound, inferenceUrl, internalSecret: null, ...timeouts, log })
const text = JSON.stringify({ object: 'chat.completion', content: 'x'.repeat(960), usage: { total_tokens: 320 } })
const signingKey = createSigningKey('default', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

const answerHere: InferencePort = {
  checkRequest: () => undefined,
  async answer(call) {
    answerText(call.response)
    call.settle(320)
  },
}

function answerText(response: Parameters<RequestHandler>[1]): void {
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', text.length)
  response.end(text)
}

const listenerPlane: RequestHandler = async (request, response) => {
  await readBody(request, bodyLimits)
  answerText(response)
}

const live = initialLiveConfig(
  { id: randomUUID(), tenant_id: randomUUID(), slug: 'amber-falcon-4821' },
  defaultSettings('http://localhost:8080'),
)

const forwardPlane: RequestHandler = async (request, response, incoming) => {
  const subject = {
    verified: {
      requestId: incoming.id,
      tenantId: live.tenant_id,
      projectId: live.project_id,
      userId: 'user',
      role: 'user',
      tier: null,
      scopes: [],
      authProvider: 'service',
      sessionId: null,
      threadId: null,
    },
    route: chatCompletionsEndpoint.pattern,
    format: chatCompletions,
    estimated: null,
    prompt: null,
    request,
    response,
    body: await readBody(request, bodyLimits),
    live,
    resolved: resolveForTier(live, undefined, 0),
    promptEstimate: null,
    reportsUsage: false,
  }
  const context = { account: null, registry: null, onCutOff: incoming.onCutOff, now }
  await forwarder.answer(new AdmittedCall(subject, context))
}

async function gatewayPlane(answerer: InferencePort): Promise<RequestHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-part-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { sql } = await openDatabase({ databaseUrl: null, dataDir: folder, log, now })
  const kv =
    redisUrl === undefined
      ? createProcessStore({ now, log })
      : await createRedisStore({ url: redisUrl, log, keyPrefix: `bench-${randomUUID()}:` })
  await fill(kv)
  const gateway = createGateway({
    sql,
    kv,
    outbound,
    now,
    randomId: randomUUID,
    replicaId: randomUUID(),
    log,
    configs: createConfigCache({ kv, sql, now, log, cacheTtlMs: 30_000 }),
    port: answerer,
    findVersion: createPromptVersions(sql),
    requests: { add: () => undefined },
    settings: {
      tokenIssuer: issuer,
      tokenAudience: audience,
      ownKeys: { kind: 'document', text: JSON.stringify({ keys: [signingKey.publicJwk] }) },
      ownKids: new Set([signingKey.kid]),
      configCacheTtlMs: 30_000,
      bodyLimitBytes: bodyLimits.maxBytes,
    },
  })
  return gateway.plane
}

/**
 * Writes to the store what management and the worker would write: projects with limits that are never reached. Mints
 * tokens for them into the file.
 */
async function fill(kv: Store): Promise<void> {
  const lines: string[] = []
  const limits = { rpm_limit: 10_000, tokens_per_day: 1_000_000_000_000 }
  const tenantId = randomUUID()
  for (let number = 0; number < projects; number++) {
    const projectId = randomUUID()
    const slug = `amber-falcon-${1000 + number}`
    const settings = { ...live.settings, ...limits }
    const document = initialLiveConfig({ id: projectId, tenant_id: tenantId, slug }, settings)
    const tiers = [{ name: 'measured', overrides: limits }]
    await kv.putSlugs([{ slug, projectId, tenantId }])
    await kv.putConfig(projectId, { revision: 1, status: 'active', body: JSON.stringify({ ...document, tiers }) })
    for (let user = 0; user < tokensPerProject; user++) {
      const subject = {
        tenantId,
        projectId,
        userId: `user-${user}`,
        role: 'user',
        tier: 'measured',
        ttlSeconds: 86_400,
      }
      const token = await mintToken({ signingKey, issuer, audience, now, randomId: randomUUID }, subject)
      lines.push(`${slug}.localhost ${token}`)
    }
  }
  await kv.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
  await kv.markSeeded(await kv.startFilling())
  writeFileSync(tokensFile, `${lines.join('\n')}\n`, { mode: 0o600 })
}

const makers: Record<string, () => RequestHandler | Promise<RequestHandler>> = {
  listener: () => listenerPlane,
  forward: () => forwardPlane,
  gateway: () => gatewayPlane(answerHere),
  whole: () => gatewayPlane(forwarder),
}
const plane = await (makers[kind] ?? (() => Promise.reject(new Error('usage: see the head of this file'))))()
const listener = createListener({
  hosts: { baseUrl: issuer, publicDomain: 'localhost', internalDomain: 'dev.localhost' },
  trustedProxies: [],
  hasFastLane: true,
  handlers: { management: plane, project: plane, internal: plane, findPlain: () => plane },
  isInternalSecret: () => false,
  readiness: () => [],
  log,
  now,
  randomId: randomUUID,
})
await listener.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
