// Opens the external dependencies in the one order that is safe, and checks that they belong to this configuration.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { createSigningKey, type SigningKey } from '../crypto/keys/signing-key.ts'
import { createSecretBox, type SecretBox } from '../crypto/secrets/secret-box.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { measureStore } from '../kv/measured-store.ts'
import { createProcessStore } from '../kv/process/store.ts'
import { serveStore } from '../kv/remote/serve-store.ts'
import { createRemoteStore } from '../kv/remote/store.ts'
import type { Store } from '../kv/store.ts'
import { createSubscribers } from '../kv/subscribers.ts'
import { checkEncryptionKey } from '../management/operations/check-encryption-key.ts'
import { checkSigningKey } from '../management/operations/check-signing-key.ts'
import { checkDefaultModel } from '../management/settings/check-default-model.ts'
import { createOutbound, type Outbound } from '../outbound/outbound.ts'
import type { ProcessPlace } from '../processes/place.ts'
import type { CloudTools } from '../providers/clouds/cloud-tools.ts'
import { createTokenCache } from '../providers/clouds/token-cache.ts'
import type { Link } from '../sockets/link.ts'
import { type Database, openDatabase } from '../storage/open-database.ts'
import { openRemoteDatabase } from '../storage/remote/open-remote.ts'
import { serveDatabase } from '../storage/remote/serve-database.ts'
import { createRequestBuffer, type RequestBuffer } from '../storage/request-log/request-buffer.ts'
import { createRequestContent, type RequestContent } from '../storage/request-log/request-content.ts'
import type { RequestDays } from '../storage/request-log/request-days.ts'
import type { Schema } from '../storage/schema.ts'
import { seedRegistry } from '../storage/seed-registry.ts'
import { watchHealth } from '../telemetry/watch-health.ts'
import { completeSecrets } from './generated-secrets.ts'
import { openTelemetry, type Telemetry } from './telemetry.ts'

export interface ProcessDependencies {
  sql: Kysely<Schema>
  requestDays: RequestDays
  contentDays: RequestDays
  /** Writes the rows of the request log of this process, and content. */
  requests: RequestBuffer
  requestContent: RequestContent
  kv: Store
  outbound: Outbound
  clouds: CloudTools
  secrets: Awaited<ReturnType<typeof completeSecrets>>
  secretBox: SecretBox
  signingKey: SigningKey
  now: () => number
  randomId: () => string
  /** This process's name among all that share the store. */
  replicaId: string
  log: Log
  metrics: Metrics
  telemetry: Telemetry
  /** Resolves when the other processes of this machine have written the usage that they buffer. */
  writeUsageOfOthers: () => Promise<void>
  /** To the process that writes this one's rows of usage; null if this process writes them. */
  usageLink: Link | null
  /** Lets another process of this machine use the embedded database and store. */
  serveTo: (link: Link) => void
}

type WhenEnding = (end: () => Promise<unknown>) => void

export async function openDependencies(
  config: Config,
  log: Log,
  whenEnding: WhenEnding,
  place: ProcessPlace,
): Promise<ProcessDependencies> {
  const now = Date.now
  const randomId = randomUUID
  const outbound = createOutbound({ allow: config.upstream.outboundAllow, proxies: config.upstream.proxies, log })
  whenEnding(() => outbound.close())
  const clouds = { ...config.clouds, readFile: readTokenFile, tokens: createTokenCache(now) }
  const telemetry = openTelemetry(config, outbound, log)
  whenEnding(() => telemetry.stop())
  const { metrics, registry } = telemetry
  // The database comes before all other files: its lock keeps a second process from touching the secrets beside it.
  const database = await openOwnOrRemoteDatabase({ config, place, log, now, metrics })
  whenEnding(() => database.close())
  const { sql } = database
  const isOther = place.kind === 'other'
  const secrets = await completeSecrets(config, isOther ? () => undefined : logStart)
  const signingKey = createSigningKey(config.tokens.keyId, secrets.jwtPrivateKey)
  // The first process has checked and completed the database before it starts the others.
  if (!isOther) await checkSigningKey(sql, signingKey, now)
  const keys: EncryptionKeys = [secrets.encryptionKey, ...config.secrets.encryptionPreviousKeys]
  const secretBox = createSecretBox({ current: keys[0], previous: keys.slice(1) })
  const requestLog = openRequestLog(database, { keys, metrics, now, log }, whenEnding)
  if (!isOther) await checkEncryptionKey(sql, secretBox)
  const store = await openStore(config, place, log, now)
  const kv = measureStore(store, metrics)
  whenEnding(() => kv.close())
  const stopWatching = watchHealth(registry, { database, store: kv })
  whenEnding(async () => stopWatching())
  if (!isOther) await seedRegistry(sql, now, randomId)
  if (!isOther) await checkDefaultModel(sql, config, { now, log })
  const serveTo = (link: Link): void => {
    // The others have connections of their own to PostgreSQL and Redis.
    if (config.mode === 'distributed') return
    serveDatabase(link, database, log)
    serveStore(link, store)
  }
  return {
    sql,
    ...requestLog,
    kv,
    outbound,
    clouds,
    secrets,
    secretBox,
    signingKey,
    now,
    randomId,
    replicaId: place.kind === 'other' ? place.replicaId : randomId(),
    log,
    metrics,
    telemetry,
    writeUsageOfOthers: () => (place.kind === 'only' ? Promise.resolve() : place.writeUsageOfOthers()),
    usageLink: place.kind === 'other' && config.mode === 'embedded' ? place.link : null,
    serveTo,
  }
}

/** The current one first. */
type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]]
type RequestLogParts = Pick<ProcessDependencies, 'requestDays' | 'contentDays' | 'requests' | 'requestContent'>

function openRequestLog(
  { requestDays, contentDays }: Database,
  { keys, ...needs }: Pick<ProcessDependencies, 'log' | 'metrics' | 'now'> & { keys: EncryptionKeys },
  whenEnding: WhenEnding,
): RequestLogParts {
  const requests = createRequestBuffer({ requestDays, ...needs })
  const requestContent = createRequestContent({ contentDays, keys, ...needs })
  for (const part of [requests, requestContent]) whenEnding(() => part.stop())
  return { requestDays, contentDays, requests, requestContent }
}

/** Written by the platform, which replaces it before the token expires. */
async function readTokenFile(path: string): Promise<string> {
  return await readFile(path, 'utf8')
}

/** Messages for the operator; the log has no field for paths. */
export function logStart(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

type DatabaseNeeds = Pick<ProcessDependencies, 'log' | 'now' | 'metrics'> & { config: Config; place: ProcessPlace }

async function openOwnOrRemoteDatabase({ config, place, ...needs }: DatabaseNeeds): Promise<Database> {
  const { databaseUrl, dataDir } = config
  if (place.kind === 'other' && databaseUrl === null) return openRemoteDatabase(place.link)
  return await openDatabase({ databaseUrl, dataDir, ...needs })
}

async function openStore(config: Config, place: ProcessPlace, log: Log, now: () => number): Promise<Store> {
  const { redisUrl, redisPrefix, answerCacheBytes: answerBytes } = config
  if (redisUrl === null && place.kind === 'other') return createRemoteStore(place.link, createSubscribers(log))
  if (redisUrl === null) return createProcessStore({ now, log, answerBytes })
  const { createRedisStore } = await import('../kv/redis/store.ts')
  return await createRedisStore({ url: redisUrl, keyPrefix: redisPrefix, log, answerBytes })
}
