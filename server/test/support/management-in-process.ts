// Runs the management plane in the test's process, on either database and the in-process store, with a manual clock
// and a counter of password hashes. For tests that a separate process does not allow: hours and days that pass, or
// events between two steps of a request.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { InferencePort } from '../../src/call/inference-port.ts'
import { createSigningKey } from '../../src/crypto/keys/signing-key.ts'
import { createPasswordHasher, type PasswordHasher } from '../../src/crypto/secrets/password.ts'
import { createSecretBox } from '../../src/crypto/secrets/secret-box.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { providerSlugs } from '../../src/domain/provider.ts'
import { defaultLimits } from '../../src/domain/settings/settings-limits.ts'
import { createListener } from '../../src/http/front/listener.ts'
import type { GuardrailMeans } from '../../src/inference/guard/guard.ts'
import { createTryGuardrails } from '../../src/inference/guard/try-guardrails.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createManagement } from '../../src/management/create-management.ts'
import type { ManagementDependencies } from '../../src/management/dependencies.ts'
import { bootstrapUser } from '../../src/management/people/bootstrap-user.ts'
import { createRetriedPush } from '../../src/management/settings/push-with-retry.ts'
import { describeDataPlane } from '../../src/openapi/describe-data-plane.ts'
import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { type Database, openDatabase } from '../../src/storage/open-database.ts'
import { createHandClock, createMemoryLog, type HandClock } from '../kv/stores.ts'
import { noClouds } from '../providers/clouds/no-clouds.ts'
import { makeDataFolder } from './worlds.ts'

export interface InProcess {
  clock: HandClock
  management: ManagementDependencies
  /** The number of password hashes and verifications so far. */
  hashes(): number
  call(method: string, path: string, options?: CallOptions): Promise<CallAnswer>
  signIn(): Promise<string>
  stop(): Promise<void>
}

interface CallOptions {
  token?: string
  body?: unknown
  key?: string
  headers?: Record<string, string>
}

interface CallAnswer {
  status: number
  body: Record<string, unknown>
  headers: Headers
}

/** Guardrails without an external recogniser. */
export function guardrailMeans(outbound: Outbound): GuardrailMeans {
  return { maskingKey: randomBytes(32), outbound, settings: { recogniserUrl: null } }
}

const withoutAnonymous: Pick<ManagementDependencies, 'metrics' | 'anonymous'> = {
  metrics: { anonymousAsked: () => undefined, auditEntryAdded: () => undefined, signOnEnded: () => undefined },
  anonymous: {
    rulesOf: async () => null,
    challengeKey: randomBytes(32),
    services: { turnstile: '', hcaptcha: '', recaptcha: '', appCheck: '' },
  },
}

/** For tests that do not use the playground. */
export const noInference: InferencePort = {
  checkRequest: () => undefined,
  async answer() {
    throw new Refusal('inference_unavailable')
  },
}

/** For tests that write no rows of the request log. */
export function partsOf({
  sql,
  requestDays,
}: Database): Pick<
  ManagementDependencies,
  'sql' | 'requestDays' | 'requests' | 'requestContent' | 'metrics' | 'anonymous'
> {
  const flush = async () => undefined
  const requestContent = { find: async () => null, flush }
  return { sql, requestDays, requests: { add: () => undefined, flush }, requestContent, ...withoutAnonymous }
}

export const inProcessOwner = { email: 'owner@example.com', password: 'correct horse battery staple' }

interface InProcessOptions {
  /** By default SQLite. */
  databaseUrl?: string
  /** Wraps the real password hasher, for tests that delay it. */
  hold?: (real: PasswordHasher) => PasswordHasher
  /** Writes the usage that waits; by default none does. */
  writeUsage?: () => Promise<void>
}

export async function startInProcess(
  more: Partial<ManagementDependencies['settings']> = {},
  { databaseUrl, hold = real => real, writeUsage = async () => undefined }: InProcessOptions = {},
): Promise<InProcess> {
  const dataDir = makeDataFolder()
  const clock = createHandClock(Date.now())
  const { log } = createMemoryLog()
  const database = await openDatabase({ databaseUrl: databaseUrl ?? null, dataDir, log, now: clock.now })
  const kv = createProcessStore({ now: clock.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log })
  const counted = countHashes(hold(createPasswordHasher({ concurrency: 2 })))
  const management: ManagementDependencies = {
    ...partsOf(database),
    kv,
    pushToStore: createRetriedPush(log),
    windows: kv,
    outbound,
    clouds: noClouds(),
    inference: noInference,
    tryGuardrails: createTryGuardrails({ ...guardrailMeans(outbound), now: clock.now, log }),
    writeUsage,
    passwords: counted.passwords,
    secretBox: createSecretBox({ current: randomBytes(32), previous: [] }),
    signingKey: createSigningKey('default', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    now: clock.now,
    randomId: randomUUID,
    log,
    settings: { ...plainSettings(), ...more },
  }
  await bootstrapUser(management, inProcessOwner.email, async () => inProcessOwner.password)
  const { handle: plane } = await createManagement(management, [], describeDataPlane)
  const listener = createListener({
    hasFastLane: true,
    hosts: management.settings,
    trustedProxies: [],
    handlers: { management: plane, project: plane, internal: plane },
    isInternalSecret: () => false,
    readiness: () => [],
    log,
    now: clock.now,
    randomId: randomUUID,
  })
  const { port } = await listener.listen(0, '127.0.0.1')
  const call = caller(`http://127.0.0.1:${port}`)
  return {
    clock,
    management,
    hashes: counted.count,
    call,
    signIn: async () =>
      String((await call('POST', '/auth/v1/sessions', { body: inProcessOwner })).body['session_token']),
    async stop() {
      await listener.close(1000)
      await outbound.close()
      await kv.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function plainSettings(): ManagementDependencies['settings'] {
  const unused = { baseUrl: 'http://127.0.0.1:9', platformKey: null }
  return {
    version: '0.0.0',
    baseUrl: 'http://localhost:8080',
    publicDomain: 'localhost',
    internalDomain: 'dev.localhost',
    dashboardOrigin: 'http://localhost:8080',
    upgradeUrl: 'http://localhost:8080/upgrade',
    adminSecret: 'admin-secret-of-the-tests',
    tokenIssuer: 'http://localhost:8080',
    tokenAudience: 'service',
    mintPerMinute: 600,
    defaultPlan: 'free',
    dnsIsWildcard: true,
    tenantCreation: 'anyone',
    limits: defaultLimits,
    platformDefaultModel: null,
    providers: Object.fromEntries(
      providerSlugs.map(slug => [slug, unused]),
    ) as ManagementDependencies['settings']['providers'],
    sessionIssuer: null,
    singleSignOn: null,
  }
}

function countHashes(real: PasswordHasher): { passwords: PasswordHasher; count(): number } {
  let count = 0
  const passwords: PasswordHasher = {
    hash(password) {
      count++
      return real.hash(password)
    },
    verify(hash, password) {
      count++
      return real.verify(hash, password)
    },
    verifyAgainstNothing(password) {
      count++
      return real.verifyAgainstNothing(password)
    },
  }
  return { passwords, count: () => count }
}

function caller(baseUrl: string): InProcess['call'] {
  return async (method, path, { token, body, key, headers = {} } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers }
  }
}
