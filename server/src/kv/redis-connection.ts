// Two connections to one Redis, one for commands and one for messages: deadlines, reconnecting, scripts by digest.
// Knows nothing of keys and intentions. A server that does not answer is StoreUnavailable within the deadline.
import type { Log } from '../domain/log.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { createDeadlines } from './deadlines.ts'
import { createRefusalTeller, refusalWordOf } from './redis-refusals.ts'
import type { Script } from './redis-scripts.ts'
import { StoreUnavailable } from './store.ts'

export interface ConnectionOptions {
  url: string
  log: Log
  channel: string
  /** A command without an answer for so long has failed. */
  commandTimeoutMs: number
  startTimeoutMs: number
  onMessage: (message: string) => void
  /** Messages may have been missed. */
  onReturn: () => void
}

export interface RedisConnection {
  send(...args: string[]): Promise<unknown>
  run(script: Script, keys: readonly string[], args: ReadonlyArray<string | number>): Promise<unknown>
  close(): Promise<void>
}

/** More unanswered commands than this are not waited for: they only hold memory. */
const mostUnanswered = 20_000
const pingEveryMs = 1_000
/** A connection silent for so long, pings included, is given up and made anew. */
const silenceMs = 4_000

type Client = Awaited<ReturnType<typeof createClient>>

export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const [commands, messages] = await Promise.all([createClient(options, 'commands'), createClient(options, 'messages')])
  const clients = [commands, messages]
  try {
    await startWithin(options.startTimeoutMs, clients, () => messages.subscribe(options.channel, options.onMessage))
  } catch (error) {
    for (const client of clients) if (client.isOpen) client.destroy()
    throw error
  }
  messages.on('ready', options.onReturn)
  const send = createSender(commands, options)
  return {
    send: (...args) => send(args),
    run: (script, keys, args) => runScript(send, script, keys, args),
    close: async () => {
      await Promise.all(clients.map(endClient))
    },
  }
}

async function createClient({ url, log }: ConnectionOptions, connection: string) {
  const redis = await import('redis')
  const client = createFrom(() =>
    redis.createClient({
      url,
      disableOfflineQueue: true,
      // Its timers end with the write; the sender below has its own.
      commandOptions: { timeout: 0 },
      pingInterval: pingEveryMs,
      socket: { reconnectStrategy: backOff, socketTimeout: silenceMs, connectTimeout: silenceMs, noDelay: true },
    }),
  )
  let lost = false
  client.on('error', (error: unknown) => {
    if (!lost) log.warn('redis connection lost', { state: connection, error })
    lost = true
  })
  client.on('ready', () => {
    if (lost) log.info('redis connection is back', { state: connection })
    lost = false
  })
  return client
}

/** What the client says of an address that it cannot read quotes it, password and all. */
function createFrom<T>(make: () => T): T {
  try {
    return make()
  } catch {
    throw new StartupProblem('REDIS_URL is not an address like redis://host:6379')
  }
}

/** Doubles up to three seconds; copies that lost the server together do not come back together. */
function backOff(retries: number): number {
  return Math.min(3_000, 50 * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2)
}

async function startWithin(timeoutMs: number, clients: Client[], then: () => Promise<void>): Promise<void> {
  let lastFailure: unknown
  const watch = (error: unknown): void => {
    lastFailure = error
  }
  for (const client of clients) client.on('error', watch)
  const started = Promise.all(clients.map(client => client.connect())).then(then)
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const seconds = Math.round(timeoutMs / 1000)
    const reason = lastFailure === undefined ? '' : ` (${describeFailure(lastFailure)})`
    deadline.reject(new StartupProblem(`Redis at REDIS_URL does not answer within ${seconds} seconds${reason}`))
  }, timeoutMs)
  try {
    await Promise.race([started, deadline.promise])
  } finally {
    clearTimeout(timer)
    for (const client of clients) client.off('error', watch)
  }
}

/** `again` is sent instead where the server says that it does not know the script. */
type Send = (args: string[], again?: () => string[]) => Promise<unknown>

/**
 * The client has no deadline for commands already written, and a stopped server takes writes for long. So the first
 * command to run out of time closes the door for all, until any answer or a new connection opens it.
 */
function createSender(client: Client, { commandTimeoutMs, log }: ConnectionOptions): Send {
  let stalled = false
  const tellRefusal = createRefusalTeller(log)
  const deadlines = createDeadlines(commandTimeoutMs, fail => {
    stalled = client.isReady
    fail(new StoreUnavailable('timeout'))
  })
  const openDoor = (): void => {
    stalled = false
  }
  client.on('ready', openDoor)
  // The client's own pings go past the door.
  client.on('ping-interval', openDoor)
  return function send(args, again?) {
    if (stalled || deadlines.count() >= mostUnanswered) return Promise.reject(new StoreUnavailable('no_answer'))
    return new Promise((resolve, reject) => {
      const waiting = deadlines.add(reject)
      client.sendCommand(args).then(
        reply => {
          openDoor()
          deadlines.remove(waiting)
          resolve(reply)
        },
        (error: unknown) => {
          const isLate = waiting.isOver
          deadlines.remove(waiting)
          const word = refusalWordOf(error)
          if (word === 'NOSCRIPT' && again !== undefined && !isLate) return resolve(send(again()))
          // Managed servers may forbid this one, and whoever asks says so.
          if (word !== null && args[0] !== 'INFO') tellRefusal(word)
          reject(new StoreUnavailable(word ?? 'connection', error))
        },
      )
    })
  }
}

function runScript(
  send: Send,
  script: Script,
  keys: readonly string[],
  args: ReadonlyArray<string | number>,
): Promise<unknown> {
  const command = ['EVALSHA', script.sha1, String(keys.length)]
  for (const key of keys) command.push(key)
  for (const arg of args) command.push(String(arg))
  return send(command, () => ['EVAL', script.text, ...command.slice(2)])
}

async function endClient(client: Client): Promise<void> {
  if (!client.isOpen) return
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>(resolve => {
    timer = setTimeout(resolve, 500)
  })
  try {
    if (client.isReady) await Promise.race([client.close(), deadline])
  } finally {
    clearTimeout(timer)
    if (client.isOpen) client.destroy()
  }
}

/** Codes and Redis's own words; an address may hold a password. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError) return describeFailure(error.errors[0])
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message.split('\n')[0]?.slice(0, 120) ?? error.name
}
