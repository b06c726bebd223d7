// The key-value store on Redis, for any number of replicas: assembles its parts, checks the server at start, and
// forwards published changes to the listeners in this process.
import type { Log } from '../../domain/log.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import { defaultAnswerBytes } from '../cached-answers.ts'
import type { Store, StoreChange } from '../store.ts'
import { createSubscribers } from '../subscribers.ts'
import { createRedisActivity } from './activity.ts'
import { createRedisAdmissions } from './admissions.ts'
import { createRedisBudgets } from './budgets.ts'
import { createRedisCachedAnswers } from './cached-answers.ts'
import { connectRedis, type RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import { createRedisConversations } from './conversations.ts'
import { createRedisDiagnostics } from './diagnostics.ts'
import { createRedisEvents } from './events.ts'
import { nameKeys } from './keys.ts'
import { createRedisProjection } from './projection.ts'
import { createRedisReplicas } from './replicas.ts'
import { scripts } from './scripts.ts'
import { createServerDeadline, type ServerDeadline } from './server-deadline.ts'
import { createRedisUsageShelf } from './usage-shelf.ts'
import { createRedisWindows } from './windows.ts'

export interface RedisStoreOptions {
  url: string
  log: Log
  /** For tests: replaces the server's time in scripts. */
  clock?: () => number
  keyPrefix?: string
  streamLength?: number
  shelfRows?: number
  /** The maximum of all cached answers. */
  answerBytes?: number
  commandTimeoutMs?: number
  startTimeoutMs?: number
}

export async function createRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { url, log } = options
  const keys = nameKeys(options.keyPrefix)
  const commandTimeoutMs = options.commandTimeoutMs ?? 1_000
  const deadline = createServerDeadline(commandTimeoutMs)
  const clock = options.clock ?? (() => '' as const)
  const subscribers = createSubscribers(log)
  const connection = await connectRedis({
    url,
    log,
    channel: keys.changes,
    commandTimeoutMs,
    startTimeoutMs: options.startTimeoutMs ?? 5_000,
    onMessage: message => subscribers.notify(readChange(message)),
    onReturn: () => subscribers.notify({ kind: 'resync' }),
    onAnswerAgain: () => subscribers.notify({ kind: 'answers-again' }),
  })
  try {
    await checkServer(connection, log)
    await loadScripts(connection, log)
    await learnClock(connection, deadline)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    kind: 'redis',
    shelf: createRedisUsageShelf(connection, keys, options.shelfRows ?? 100_000),
    // A write, because a full server and a read-only replica after a failover still answer PING and reads.
    ping: async () => {
      await connection.send('SET', keys.ping, '1', 'PX', '60000')
    },
    close: () => connection.close(),
    subscribe: subscribers.subscribe,
    ...createRedisProjection(connection, keys, log, clock),
    ...createRedisAdmissions(connection, keys, clock, deadline),
    ...createRedisBudgets(connection, keys, clock),
    ...createRedisWindows(connection, keys, clock),
    ...createRedisConversations(connection, keys, clock),
    ...createRedisCachedAnswers(connection, keys, clock, options.answerBytes ?? defaultAnswerBytes),
    ...createRedisDiagnostics(connection, keys, clock),
    ...createRedisActivity(connection, keys, clock),
    ...createRedisEvents(connection, keys, clock, options.streamLength ?? 100_000),
    ...createRedisReplicas(connection, keys, clock),
  }
}

/** Without this, the first call of each script would be sent twice, and later commands would run before it. */
async function loadScripts(connection: RedisConnection, log: Log): Promise<void> {
  try {
    await Promise.all(Object.values(scripts).map(({ text }) => connection.send('SCRIPT', 'LOAD', text)))
  } catch (error) {
    log.warn('redis scripts could not be loaded, they load on first use', { error })
  }
}

/** If the Redis user must not run TIME, the first admission returns the time. */
async function learnClock(connection: RedisConnection, deadline: ServerDeadline): Promise<void> {
  const time = await connection.send('TIME').then(listOf, () => null)
  if (time !== null) deadline.learn(numberOf(time[0]) * 1_000 + Math.floor(numberOf(time[1]) / 1_000))
}

/** Uses INFO, because managed servers forbid CONFIG. */
async function checkServer(connection: RedisConnection, log: Log): Promise<void> {
  const info = await connection.send('INFO').then(textOf, () => '')
  const version = /^redis_version:(\d+)/m.exec(info)?.[1]
  if (version !== undefined && Number(version) < 7)
    throw new StartupProblem('REDIS_URL needs a Redis of version 7 or newer')
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
  if (policy === 'noeviction') return
  if (policy === undefined) {
    log.warn('redis reports no maxmemory policy, set maxmemory-policy to noeviction')
  } else {
    log.warn('redis may evict kill switches and spend, set maxmemory-policy to noeviction', { reason: policy })
  }
}

/** An unreadable message may have been any change, so it counts as a resync. */
function readChange(message: string): StoreChange {
  try {
    const change: StoreChange = JSON.parse(message)
    if (typeof change === 'object' && change !== null && typeof change.kind === 'string') return change
  } catch {
    // Not JSON: handled below.
  }
  return { kind: 'resync' }
}
