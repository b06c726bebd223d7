// Two connections to one Redis, one for commands and one for messages: start, deadlines, scripts by digest.
// Knows nothing of keys and intentions. A server that does not answer is StoreUnavailable within the deadline.
import type { Log } from '../../../domain/log.ts'
import { StartupProblem } from '../../../domain/startup-problem.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Script } from '../scripts.ts'
import { readRedisAddress } from './address.ts'
import { createDeadlines } from './deadlines.ts'
import { createRefusalLog, refusalWordOf } from './refusals.ts'
import { RedisSocket, type SocketOptions } from './socket.ts'
import { encodeCommand, type RedisReply, RefusedReply } from './wire.ts'

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
  /** Commands are answered again, on the same connection or a new one. Messages may take longer to come back. */
  onAnswerAgain: () => void
}

type Args = ReadonlyArray<string | number>

export interface RedisConnection {
  send(...args: string[]): Promise<RedisReply>
  run(script: Script, keys: readonly string[], args: Args): Promise<RedisReply>
  /** Is asked for what it wants to send when the others leave. */
  gather(ask: () => void): void
  /** Whatever waits leaves now. */
  depart(): void
  /** The failure that a refusal within an answer is to who asked; the log has its word. */
  refuse(refused: RefusedReply): StoreUnavailable
  close(): Promise<void>
}

/** More unanswered commands than this are not waited for: they only hold memory. */
const maxUnanswered = 20_000

export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const address = readRedisAddress(options.url)
  const start = createStart(options.startTimeoutMs)
  const deadlines = createCommandDeadlines(options.commandTimeoutMs, () => commands.isReady)
  const commands = new RedisSocket({
    address,
    ...watch(options.log, 'commands', start, () => {
      deadlines.openDoor()
      options.onAnswerAgain()
    }),
    onHeard(wasSilent) {
      const wasClosed = deadlines.openDoor()
      if (wasSilent || wasClosed) options.onAnswerAgain()
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
  const tellRefusal = createRefusalLog(options.log)
  const { send, refuse } = createSender(commands, deadlines, tellRefusal)
  return {
    send: (...args) => send(args),
    run: (script, keys, args) => runScript(send, script, keys, args),
    gather: ask => commands.gather(ask),
    depart: () => commands.depart(),
    refuse,
    close,
  }
}

/** Loss and return in the log, once each; what happens before the first use belongs to the start. */
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

/** Both connections are ready in time, or there is a sentence why not. */
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
 * A stopped server takes writes for long. So the first command to run out of time closes the door for all, until
 * anything is heard or there is a new connection.
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
    /** Whether it was closed. */
    openDoor(): boolean {
      const wasStalled = isStalled
      isStalled = false
      return wasStalled
    },
  }
}

/** `again` is sent instead where the server says that it does not know the script. */
type Send = (args: Args, again?: () => Args) => Promise<RedisReply>

function createSender(
  socket: RedisSocket,
  deadlines: ReturnType<typeof createCommandDeadlines>,
  tellRefusal: (word: string) => void,
): { send: Send; refuse: RedisConnection['refuse'] } {
  const refuse = ({ text }: RefusedReply): StoreUnavailable => {
    const word = refusalWordOf(text)
    tellRefusal(word)
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
          if (!(reply instanceof RefusedReply)) return resolve(reply)
          const isUnknown = again !== undefined && refusalWordOf(reply.text) === 'NOSCRIPT'
          if (isUnknown && !isLate) return resolve(send(again()))
          // Managed servers may forbid this command; the caller reports it.
          if (args[0] === 'INFO') reject(new StoreUnavailable(refusalWordOf(reply.text)))
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

/** Codes and Redis's own words; what the system says besides its code has the address. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError) return describeFailure(error.errors[0])
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  const isOwn = typeof code !== 'string' || error.message.startsWith(code)
  return isOwn ? (error.message.split('\n')[0]?.slice(0, 120) ?? error.name) : code
}
