// Two connections to one Redis, one for commands and one for messages: start, deadlines, scripts by digest.
// A command without a reply fails with StoreUnavailable at its deadline.
import type { Log } from '../../../domain/log.ts'
import { StartupProblem } from '../../../domain/startup-problem.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Script } from '../scripts.ts'
import { readRedisAddress } from './address.ts'
import { createDeadlines } from './deadlines.ts'
import { createRefusalLog, errorCodeOf } from './refusals.ts'
import { RedisSocket, type SocketOptions } from './socket.ts'
import { encodeCommand, RedisError, type RedisReply } from './wire.ts'

export interface ConnectionOptions {
  url: string
  log: Log
  channel: string
  /** A command fails if it has no reply after this time. */
  commandTimeoutMs: number
  startTimeoutMs: number
  onMessage: (message: string) => void
  /** Runs when the connection for messages is back: messages may have been missed. */
  onReturn: () => void
  /** Runs when commands get replies again, on the same connection or a new one. Messages may still be missing. */
  onAnswerAgain: () => void
}

type Args = ReadonlyArray<string | number>

export interface RedisConnection {
  send(...args: string[]): Promise<RedisReply>
  run(script: Script, keys: readonly string[], args: Args): Promise<RedisReply>
  /** Calls `ask` right before the waiting commands are sent: it may add its own. */
  beforeFlush(ask: () => void): void
  /** Sends all waiting commands now. */
  flush(): void
  /** Makes the error for the caller from an error within a reply, and logs its code. */
  refuse(refused: RedisError): StoreUnavailable
  close(): Promise<void>
}

/** Beyond this many unanswered commands, further ones fail at once: they would only hold memory. */
const maxUnanswered = 20_000

export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const address = readRedisAddress(options.url)
  const start = createStart(options.startTimeoutMs)
  const deadlines = createCommandDeadlines(options.commandTimeoutMs, () => commands.isReady)
  const commands = new RedisSocket({
    address,
    ...watch(options.log, 'commands', start, () => {
      deadlines.endStall()
      options.onAnswerAgain()
    }),
    onReply(wasSilent) {
      const wasStalled = deadlines.endStall()
      if (wasSilent || wasStalled) options.onAnswerAgain()
    },
  })
  const messages = new RedisSocket({
    address,
    ...watch(options.log, 'messages', start, options.onReturn),
    channel: options.channel,
    onMessage: options.onMessage,
  })
  const sockets = [commands, messages]
  const close = async () => {
    await Promise.all(sockets.map(socket => socket.close()))
  }
  try {
    await start.isOver(sockets)
  } catch (error) {
    await close()
    throw error
  }
  const logRefusal = createRefusalLog(options.log)
  const { send, refuse } = createSender(commands, deadlines, logRefusal)
  return {
    send: (...args) => send(args),
    run: (script, keys, args) => runScript(send, script, keys, args),
    beforeFlush: ask => commands.beforeFlush(ask),
    flush: () => commands.flush(),
    refuse,
    close,
  }
}

/** Logs each loss and each return of a connection once. The first success is no return: it belongs to the start. */
function watch(
  log: Log,
  state: string,
  start: ReturnType<typeof createStart>,
  onReturn: () => void,
): Pick<SocketOptions, 'onReady' | 'onLost'> {
  let isLost = false
  let wasReady = false
  return {
    onReady() {
      if (isLost) log.info('redis connection is back', { state })
      isLost = false
      if (wasReady) onReturn()
      wasReady = true
      start.noteReady()
    },
    onLost(error) {
      if (!isLost) log.warn('redis connection lost', { state, error })
      isLost = true
      start.noteFailure(error)
    },
  }
}

/** Waits until both connections are ready; throws a StartupProblem that says why if that takes too long. */
function createStart(timeoutMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let lastFailure: unknown
  let isReady = () => false
  return {
    noteReady: () => {
      if (isReady()) resolve()
    },
    noteFailure(error: unknown): void {
      lastFailure = error
    },
    async isOver(sockets: readonly RedisSocket[]): Promise<void> {
      isReady = () => sockets.every(socket => socket.isReady)
      const timer = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 1000)
        const reason = lastFailure === undefined ? '' : ` (${describeFailure(lastFailure)})`
        reject(new StartupProblem(`Redis at REDIS_URL does not answer within ${seconds} seconds${reason}`))
      }, timeoutMs)
      try {
        await promise
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/**
 * A stopped server accepts writes for a long time. So once a command has timed out all further ones fail at once, until
 * any reply arrives or there is a new connection.
 */
function createCommandDeadlines(timeoutMs: number, isConnected: () => boolean) {
  let isStalled = false
  const deadlines = createDeadlines(timeoutMs, fail => {
    isStalled = isConnected()
    fail(new StoreUnavailable('timeout'))
  })
  return {
    ...deadlines,
    isClosed: () => isStalled || deadlines.count() >= maxUnanswered,
    /** Returns whether there was a stall. */
    endStall(): boolean {
      const wasStalled = isStalled
      isStalled = false
      return wasStalled
    },
  }
}

/** `again` makes the command to send if the server does not know the script. */
type Send = (args: Args, again?: () => Args) => Promise<RedisReply>

function createSender(
  socket: RedisSocket,
  deadlines: ReturnType<typeof createCommandDeadlines>,
  logRefusal: (word: string) => void,
): { send: Send; refuse: RedisConnection['refuse'] } {
  const refuse = ({ text }: RedisError): StoreUnavailable => {
    const word = errorCodeOf(text)
    logRefusal(word)
    return new StoreUnavailable(word)
  }
  const send: Send = (args, again) => {
    if (deadlines.isClosed()) return Promise.reject(new StoreUnavailable('no_answer'))
    if (!socket.isReady) return Promise.reject(new StoreUnavailable('connection'))
    return new Promise((resolve, reject) => {
      const waiting = deadlines.add(reject)
      socket.send(encodeCommand(args), {
        answer(reply) {
          const isLate = waiting.isOver
          deadlines.remove(waiting)
          if (!(reply instanceof RedisError)) return resolve(reply)
          const isUnknown = again !== undefined && errorCodeOf(reply.text) === 'NOSCRIPT'
          if (isUnknown && !isLate) return resolve(send(again()))
          // Managed servers may forbid this command; the caller reports it.
          if (args[0] === 'INFO') reject(new StoreUnavailable(errorCodeOf(reply.text)))
          else reject(refuse(reply))
        },
        fail(error) {
          deadlines.remove(waiting)
          reject(new StoreUnavailable('connection', error))
        },
      })
    })
  }
  return { send, refuse }
}

function runScript(send: Send, script: Script, keys: readonly string[], args: Args): Promise<RedisReply> {
  const command: Array<string | number> = ['EVALSHA', script.sha1, keys.length]
  for (const key of keys) command.push(key)
  for (const arg of args) command.push(arg)
  return send(command, () => ['EVAL', script.text, ...command.slice(2)])
}

/** Redis's own message, or the code of a system error, whose message would contain the address. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError) return describeFailure(error.errors[0])
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  const isOwn = typeof code !== 'string' || error.message.startsWith(code)
  return isOwn ? (error.message.split('\n')[0]?.slice(0, 120) ?? error.name) : code
}
