// One connection to Redis, which reconnects until it is closed: greetings, replies in the order of the commands, a
// heartbeat each second. connection.ts has the deadlines of commands.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectEncrypted } from 'node:tls'
import { RingQueue } from '../../../collections/ring-queue.ts'
import { type PendingWrite, writeAtEndOfTurn } from '../../../sockets/end-of-turn-writes.ts'
import { readInto, sharedReading } from '../../../sockets/shared-read-buffer.ts'
import { greetingsOf, type RedisAddress } from './address.ts'
import { errorCodeOf } from './refusals.ts'
import { encodeCommand, RedisError, type RedisReply, ReplyReader } from './wire.ts'

/** Receives the reply to one command, or its failure. */
export interface ReplyHandler {
  answer(reply: RedisReply): void
  fail(error: Error): void
}

export interface SocketOptions {
  address: RedisAddress
  /** A channel to subscribe to: its messages go to `onMessage`, and no other commands can be sent. */
  channel?: string
  onMessage?(message: string): void
  /** Runs each time the connection is ready. */
  onReady(): void
  /** Runs for each reply and message; `wasSilent` if a heartbeat had no reply when the next one was due. */
  onReply?(wasSilent: boolean): void
  /** Runs when the connection was lost or could not be made. */
  onLost(error: unknown): void
}

const checkEveryMs = 1_000
/** Checks in a row without any reply. They are counted, not timed, because a process that was blocked reads late. */
const maxSilentChecks = 4
const connectTimeoutMs = 4_000
/** How long `close` waits for replies. */
const closeTimeoutMs = 500

export class RedisSocket implements PendingWrite {
  readonly #options: SocketOptions
  #socket: Socket | null = null
  #isReady = false
  #isClosed = false
  #attempts = 0
  #silentChecks = 0
  #retry: NodeJS.Timeout | undefined
  readonly #checker: NodeJS.Timeout
  readonly #handlers = new RingQueue<ReplyHandler>()
  #onAllAnswered: (() => void) | undefined
  #unsent = ''
  #beforeFlush: Array<() => void> = []
  #isDue = false

  constructor(options: SocketOptions) {
    this.#options = options
    this.#checker = setInterval(() => this.#check(), checkEveryMs)
    this.#open()
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Sends at the end of the event-loop turn, in one write with all others. Only for a connection that is ready. */
  send(command: string, handler: ReplyHandler): void {
    this.#unsent += command
    this.#handlers.add(handler)
    this.#schedule()
  }

  /** Calls `ask` right before the waiting commands are sent: it may add its own. */
  beforeFlush(ask: () => void): void {
    this.#beforeFlush.push(ask)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    writeAtEndOfTurn(this)
  }

  /** Sends all waiting commands now. */
  flush(): void {
    const beforeFlush = this.#beforeFlush
    this.#beforeFlush = []
    // They add commands to this write.
    for (const ask of beforeFlush) ask()
    this.#isDue = false
    const unsent = this.#unsent
    this.#unsent = ''
    if (unsent !== '') this.#socket?.write(unsent)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#checker)
    clearTimeout(this.#retry)
    if (this.#isReady) {
      this.flush()
      await this.#allAnswered()
    }
    this.#socket?.destroy()
    this.#lose(new Error('closed'))
  }

  /** Resolves when all commands have replies, or after `closeTimeoutMs`. */
  async #allAnswered(): Promise<void> {
    if (this.#handlers.length === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllAnswered = resolve
    const timer = setTimeout(resolve, closeTimeoutMs)
    await promise
    clearTimeout(timer)
  }

  #open(): void {
    const { host, port, isEncrypted } = this.#options.address
    const options = { host, port, noDelay: true, keepAlive: true, onread: sharedReading }
    const socket = isEncrypted
      ? connectEncrypted({ ...options, ...(isIP(host) ? {} : { servername: host }) })
      : connect(options)
    this.#socket = socket
    const reader = new ReplyReader(reply => this.#hear(reply))
    readInto(socket, {
      take: bytes => {
        try {
          reader.take(bytes)
        } catch (error) {
          socket.destroy(error instanceof Error ? error : undefined)
        }
      },
    })
    const connectTimer = setTimeout(() => socket.destroy(withCode('ETIMEDOUT')), connectTimeoutMs)
    let failure: unknown = withCode('ECONNRESET')
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => this.#greet(socket, () => clearTimeout(connectTimer)))
    socket.on('error', error => {
      failure = error
    })
    socket.on('close', () => {
      clearTimeout(connectTimer)
      this.#lose(failure)
      this.#openLater()
    })
  }

  #greet(socket: Socket, onReady: () => void): void {
    const greetings = greetingsOf(this.#options.address)
    if (this.#options.channel !== undefined) greetings.push(['SUBSCRIBE', this.#options.channel])
    let unanswered = greetings.length
    for (const [name] of greetings) {
      const answer = (reply: RedisReply): void => {
        unanswered -= 1
        if (socket.destroyed) return
        if (reply instanceof RedisError && !isOnlyForbidden(name, reply)) socket.destroy(refusalOf(reply))
        else if (unanswered === 0) {
          onReady()
          this.#beginUse()
        }
      }
      this.#handlers.add({ answer, fail: () => undefined })
    }
    socket.write(greetings.map(encodeCommand).join(''))
  }

  #beginUse(): void {
    this.#isReady = true
    this.#attempts = 0
    this.#options.onReady()
  }

  #hear(reply: RedisReply): void {
    const { channel, onMessage, onReply } = this.#options
    onReply?.(this.#silentChecks > 1)
    this.#silentChecks = 0
    if (channel !== undefined && Array.isArray(reply) && reply[0] === 'message') {
      onMessage?.(String(reply[2]))
      return
    }
    this.#handlers.take()?.answer(reply)
    // Only now, because the caller may have sent another command on this reply.
    if (this.#handlers.length === 0) this.#onAllAnswered?.()
  }

  #check(): void {
    if (!this.#isReady) return
    this.#silentChecks += 1
    if (this.#silentChecks > maxSilentChecks) this.#socket?.destroy(withCode('ETIMEDOUT'))
    else this.send(pingCommand, ignoreReply)
  }

  #lose(error: unknown): void {
    this.#isReady = false
    this.#silentChecks = 0
    this.#unsent = ''
    const failure = error instanceof Error ? error : new Error('lost')
    for (let handler = this.#handlers.take(); handler !== undefined; handler = this.#handlers.take())
      handler.fail(failure)
    this.#onAllAnswered?.()
    if (!this.#isClosed) this.#options.onLost(error)
  }

  #openLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => this.#open(), backOff(this.#attempts))
    this.#attempts += 1
  }
}

const pingCommand = encodeCommand(['PING'])
const ignoreReply: ReplyHandler = { answer: () => undefined, fail: () => undefined }

/** Doubles up to three seconds, with jitter: replicas that lost the server together must not reconnect together. */
function backOff(attempts: number): number {
  return Math.min(3_000, 50 * 2 ** Math.min(attempts, 10)) * (0.5 + Math.random() / 2)
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** The Redis user may lack the permission for PING. A server that refuses it answers nevertheless. */
function isOnlyForbidden(name: string | undefined, { text }: RedisError): boolean {
  return name === 'PING' && errorCodeOf(text) === 'NOPERM'
}

/** Without what Redis quotes, which may be the password. Only the code is logged. */
function refusalOf({ text }: RedisError): Error {
  const [said] = text.split(/['"`]/, 1)
  return Object.assign(new Error(said), { code: errorCodeOf(text) })
}
