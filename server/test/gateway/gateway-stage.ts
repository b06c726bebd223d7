// The setup of the gateway tests: one or several replicas, each on a real listener, over a real database and store. The
// inference port behind them returns what the test sets, and records every call. Writes the documents that management
// and the worker would write.
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as sendRequest } from 'node:http'
import type { AdmittedCall } from '../../src/call/admitted-call.ts'
import type { InferencePort } from '../../src/call/inference-port.ts'
import type { RequestRecord } from '../../src/domain/requests/request-record.ts'
import { initialLiveConfig, type LiveConfig } from '../../src/domain/settings/live-config.ts'
import { defaultSettings, type Settings } from '../../src/domain/settings/settings.ts'
import { newSlug } from '../../src/domain/slug.ts'
import { createConfigCache } from '../../src/gateway/config-cache.ts'
import { createGateway, type Gateway, type GatewaySettings } from '../../src/gateway/serve.ts'
import { replyJson } from '../../src/http/reply.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createRedisStore } from '../../src/kv/redis/store.ts'
import type { Store } from '../../src/kv/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import type { Database } from '../../src/storage/open-database.ts'
import { killSwitchRevision, raiseRevision, readKillSwitches } from '../../src/storage/projections.ts'
import { createPromptVersions } from '../../src/storage/settings/prompt-versions.ts'
import { transact } from '../../src/storage/transact.ts'
import { audience, issuer, keySetText, makeKey, makeToken, ownClaims, ownHeader } from '../crypto/token-kit.ts'
import { runListener } from '../http/running-listener.ts'
import { createMemoryLog, type LogLine, newPrefix } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'
import { whenDone } from '../support/runner/when-done.ts'

export const dashboardOrigin = 'http://localhost:8080'
export const ownKey = makeKey('k1')

export interface TestProject {
  projectId: string
  tenantId: string
  slug: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: unknown
}

export interface Copy {
  port: number
  kv: Store
  gateway: Gateway
  calls: AdmittedCall[]
  /** Rows of the request log. */
  records: RequestRecord[]
  lines: LogLine[]
}

export interface CallOptions {
  token?: string | null
  headers?: OutgoingHttpHeaders
  body?: unknown
  copy?: number
}

interface StageOptions {
  /** Null for the store in the process. */
  redisUrl?: string | null
  /** For each replica its own address of Redis, if they differ. */
  redisUrls?: readonly string[]
  copies?: number
  now?: () => number
  answer?: InferencePort['answer']
  settings?: Partial<GatewaySettings>
  /** False for replicas that no message of the store about configs has reached yet. */
  hearsOfConfigs?: boolean
  /** For a store before its first sync. */
  isEmpty?: boolean
  commandTimeoutMs?: number
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export const completion = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }

export async function openStage(options: StageOptions = {}) {
  const { redisUrl = null, copies: count = 1, now = Date.now, commandTimeoutMs = 15_000 } = options
  const database = await openMigrated()
  const keyPrefix = newPrefix()
  const openStore = async (url = redisUrl): Promise<Store> => {
    const { log } = createMemoryLog()
    const kv =
      url === null
        ? createProcessStore({ now, log })
        : await createRedisStore({ url, log, keyPrefix, commandTimeoutMs })
    whenDone(() => kv.close())
    return kv
  }
  const hand = await openStore()
  const world = worldOf(database, hand)
  if (options.isEmpty !== true) await world.sync()
  const copies: Copy[] = []
  for (let index = 0; index < count; index++) {
    const kv = redisUrl === null ? hand : await openStore(options.redisUrls?.[index])
    copies.push(await openCopy(database, kv, now, options))
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  whenDone(() => agent.destroy())
  const [first] = copies
  if (first === undefined) throw new Error('a stage has at least one copy')

  return {
    ...world,
    database,
    kv: hand,
    keyPrefix,
    copies,
    port: first.port,
    calls: first.calls,
    records: first.records,
    lines: first.lines,
    call: (project: Pick<TestProject, 'slug'>, method: string, path: string, call: CallOptions = {}) =>
      send(copies[call.copy ?? 0]?.port ?? 0, agent, project.slug, method, path, call),
    complete: (project: TestProject, call: CallOptions = {}) =>
      send(copies[call.copy ?? 0]?.port ?? 0, agent, project.slug, 'POST', '/v1/chat/completions', {
        token: tokenFor(project, now()),
        body: completion,
        ...call,
      }),
    tokenFor: (project: TestProject, claims: Record<string, unknown> = {}) => tokenFor(project, now(), claims),
  }
}

async function openCopy(database: Database, kv: Store, now: () => number, options: StageOptions): Promise<Copy> {
  const { log, lines } = createMemoryLog()
  const outbound = createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log })
  whenDone(() => outbound.close())
  const calls: AdmittedCall[] = []
  const records: RequestRecord[] = []
  const answer = options.answer ?? answerOk
  const { sql } = database
  // Longer than any test, so that a replica sees a change only if it was published.
  const configCacheTtlMs = options.settings?.configCacheTtlMs ?? 3_600_000
  const source = options.hearsOfConfigs === false ? withoutMessages(kv) : kv
  const configs = createConfigCache({ kv: source, sql, now, log, cacheTtlMs: configCacheTtlMs })
  whenDone(() => configs.stop())
  const gateway = createGateway({
    sql,
    kv,
    outbound,
    now,
    randomId: randomUUID,
    replicaId: randomUUID(),
    log,
    configs,
    findVersion: createPromptVersions(sql),
    requests: { add: record => void records.push(record) },
    port: {
      checkRequest: () => undefined,
      async answer(call) {
        calls.push(call)
        await answer(call)
      },
    },
    settings: {
      tokenIssuer: issuer,
      tokenAudience: audience,
      ownKeys: { kind: 'document', text: keySetText(ownKey) },
      ownKids: new Set([ownKey.kid]),
      configCacheTtlMs,
      bodyLimitBytes: 1_048_576,
      ...options.settings,
    },
  })
  whenDone(() => gateway.stop())
  const { port } = await runListener({ plane: gateway.plane, now })
  return { port, kv, gateway, calls, records, lines }
}

function withoutMessages(kv: Store): Pick<Store, 'findConfig' | 'subscribe'> {
  return { findConfig: projectId => kv.findConfig(projectId), subscribe: () => () => undefined }
}

/** Returns the caller as JSON, and settles ten tokens. */
async function answerOk(call: AdmittedCall): Promise<void> {
  call.settle(10)
  replyJson(call.response, 200, { route: call.route, verified: call.verified, settings: call.resolved.settings })
}

const defaults = defaultSettings(dashboardOrigin)

/** Writes as management and the worker do: first the rows, then the store. */
function worldOf({ sql }: Database, kv: Store) {
  const random = (below: number): number => Math.floor(Math.random() * below)

  async function push({ projectId, tenantId, slug }: TestProject): Promise<void> {
    const row = await sql
      .selectFrom('live_configs')
      .innerJoin('projects', 'projects.id', 'live_configs.project_id')
      .select(['live_configs.revision', 'live_configs.body', 'projects.status'])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow()
    await kv.putSlugs([{ slug, projectId, tenantId }])
    await kv.putConfig(projectId, row)
  }

  async function makeProject(
    settings: Partial<Settings> = {},
    more: { tenantId?: string; isPushed?: boolean } & Partial<LiveConfig> = {},
  ): Promise<TestProject> {
    const { tenantId = randomUUID(), isPushed = true, ...live } = more
    const project = { projectId: randomUUID(), tenantId, slug: newSlug(random) }
    const time = Date.now()
    await insertProject(sql, project, time)
    const identity = { id: project.projectId, tenant_id: tenantId, slug: project.slug }
    const initial = initialLiveConfig(identity, { ...defaults, ...settings })
    const body = JSON.stringify({ ...initial, ...live })
    await sql
      .insertInto('live_configs')
      .values({ project_id: project.projectId, revision: 1, body, updated_at: time })
      .execute()
    if (isPushed) await push(project)
    return project
  }

  async function sync(): Promise<void> {
    await kv.putKillSwitches({ global: false, tenants: [], projects: [] }, 0)
    await kv.markSeeded(await kv.startFilling())
  }

  /** Writes a new revision to the database, and by default to the store. */
  async function deploy(project: TestProject, change: Change, { isPushed = true } = {}): Promise<void> {
    await writeRevision(sql, project, change)
    if (isPushed) await push(project)
  }

  const setSwitch = (scope: SwitchScope, targetId: string, isOn: boolean, { isPushed = true } = {}) =>
    writeSwitch({ sql, kv }, { scope, targetId, isOn, isPushed })

  return { makeProject, deploy, setSwitch, push, sync }
}

type Change = { settings?: Partial<Settings>; live?: Partial<LiveConfig>; status?: 'suspended'; body?: string }
type SwitchScope = 'global' | 'tenant' | 'project'

async function insertProject(
  sql: Database['sql'],
  { projectId, tenantId, slug }: TestProject,
  time: number,
): Promise<void> {
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free', provider_keys_revision: 0, created_at: time } as const
  await sql
    .insertInto('tenants')
    .values(tenant)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await sql
    .insertInto('projects')
    .values({
      id: projectId,
      tenant_id: tenantId,
      name: 'Project',
      slug,
      status: 'active',
      dns_status: 'READY',
      dns_last_error: null,
      dns_updated_at: null,
      created_at: time,
    })
    .execute()
}

/** Writes a new revision to the database. */
async function writeRevision(sql: Database['sql'], project: TestProject, change: Change): Promise<void> {
  const row = await sql
    .selectFrom('live_configs')
    .select('body')
    .where('project_id', '=', project.projectId)
    .executeTakeFirstOrThrow()
  const changed = (): string => {
    const live: LiveConfig = JSON.parse(row.body)
    return JSON.stringify({ ...live, ...change.live, settings: { ...live.settings, ...change.settings } })
  }
  const body = change.body ?? changed()
  await sql
    .updateTable('live_configs')
    .set(old => ({ revision: old('revision', '+', 1), body }))
    .where('project_id', '=', project.projectId)
    .execute()
  if (change.status !== undefined) {
    await sql.updateTable('projects').set({ status: change.status }).where('id', '=', project.projectId).execute()
  }
}

async function writeSwitch(
  { sql, kv }: { sql: Database['sql']; kv: Store },
  { scope, targetId, isOn, isPushed }: { scope: SwitchScope; targetId: string; isOn: boolean; isPushed: boolean },
): Promise<void> {
  const { switches, revision } = await transact(sql, async trx => {
    const raised = await raiseRevision(trx, killSwitchRevision)
    const row = { scope, target_id: targetId, enabled: isOn ? (1 as const) : (0 as const), updated_at: Date.now() }
    await trx
      .insertInto('kill_switches')
      .values(row)
      .onConflict(conflict => conflict.columns(['scope', 'target_id']).doUpdateSet(row))
      .execute()
    return { switches: await readKillSwitches(trx), revision: raised }
  })
  if (isPushed) await kv.putKillSwitches(switches, revision)
}

function tokenFor(project: TestProject, nowMs: number, claims: Record<string, unknown> = {}): string {
  const seconds = Math.floor(nowMs / 1000)
  const own = { tid: project.tenantId, pid: project.projectId, iat: seconds, nbf: seconds, exp: seconds + 3600 }
  return makeToken(ownKey, ownHeader(ownKey), ownClaims({ ...own, jti: randomUUID(), ...claims }))
}

function send(
  port: number,
  agent: Agent,
  slug: string,
  method: string,
  path: string,
  { token, headers = {}, body }: CallOptions,
): Promise<Answer> {
  const bytes = body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      port,
      host: '127.0.0.1',
      agent,
      method,
      path,
      headers: {
        host: `${slug}.localhost`,
        ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
        ...(bytes === null ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
    })
    request.once('error', reject)
    request.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = response.headers['content-type']?.startsWith('application/json') ?? false
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : null,
        })
      })
    })
    request.end(bytes)
  })
}
