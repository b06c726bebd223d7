// A connection between two processes of this product: both ends call functions of the other by name, with arguments
// and results that JSON can carry. Calls of one event-loop turn leave in one write, and so do their results.
import type { Socket } from 'node:net'
import { type PendingWrite, writeAtEndOfTurn } from './end-of-turn-writes.ts'

export type LinkHandler = (...args: never[]) => unknown

export interface Link {
  /** Rejects with the error of the other end, or when the link closes. */
  call(name: string, args: readonly unknown[]): Promise<unknown>
  /** Calls without a result. */
  notify(name: string, args: readonly unknown[]): void
  /** The same; resolves once the system has the message: the other end gets it even if this process is then killed. */
  deliver(name: string, args: readonly unknown[]): Promise<void>
  /** Adds functions that the other end may call. */
  serve(handlers: Readonly<Record<string, LinkHandler>>): void
  /** Resolves when either end has closed the link or died. */
  readonly closed: Promise<void>
  close(): void
}

/**
 * Two sockets, because writing to an end that died breaks a socket: what that end had sent before must still be read.
 */
export interface LinkSockets {
  input: Socket
  output: Socket
}

/** How errors cross the link; an error's class is lost otherwise. */
export interface ErrorCodec {
  write(error: unknown): unknown
  read(written: unknown): Error
}

export interface LinkOptions {
  errors: ErrorCodec
  /** The error of calls that the link cannot make. */
  unreachable: () => Error
}

/** Beyond this many unanswered calls, further ones fail at once: they would only hold memory. */
const maxUnanswered = 50_000
const lineEnd = 10

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** `[id, name, args]` calls, `[0, name, args]` notifies, `[-id, result]` and `[-id, null, error]` are replies. */
type Message = readonly [id: number, first?: unknown, second?: unknown]

export function createLink(sockets: LinkSockets, options: LinkOptions): Link {
  return new SocketLink(sockets, options)
}

class SocketLink implements Link, PendingWrite {
  readonly closed: Promise<void>
  readonly #sockets: LinkSockets
  readonly #options: LinkOptions
  readonly #handlers = new Map<string, LinkHandler>()
  readonly #waiting = new Map<number, Waiting>()
  readonly #hasClosed: () => void
  #isOpen = true
  #lastId = 0
  #outgoing: Message[] = []
  /** Resolves when the outgoing messages are delivered; null if nobody waits for that. */
  #delivery: PromiseWithResolvers<void> | null = null

  constructor(sockets: LinkSockets, options: LinkOptions) {
    this.#sockets = sockets
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#hasClosed = resolve
    const close = (): void => this.close()
    const { input, output } = sockets
    input.on(
      'data',
      readLines(line => this.#take(JSON.parse(line) as Message[])),
    )
    input.on('error', close).on('end', close).on('close', close)
    // The input ends too, once everything in it has been read.
    output.on('error', () => undefined)
  }

  call(name: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.#isOpen || this.#waiting.size >= maxUnanswered) return Promise.reject(this.#options.unreachable())
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send([id, name, args])
    })
  }

  notify(name: string, args: readonly unknown[]): void {
    this.#send([0, name, args])
  }

  deliver(name: string, args: readonly unknown[]): Promise<void> {
    this.#send([0, name, args])
    this.#delivery ??= Promise.withResolvers<void>()
    return this.#delivery.promise
  }

  serve(added: Readonly<Record<string, LinkHandler>>): void {
    for (const [name, handler] of Object.entries(added)) this.#handlers.set(name, handler)
  }

  flush(): void {
    if (this.#outgoing.length === 0) return
    const [messages, delivery] = [this.#outgoing, this.#delivery]
    this.#outgoing = []
    this.#delivery = null
    // Without the other end nothing can be delivered, and nobody must wait for it.
    if (!this.#isOpen) delivery?.resolve()
    else this.#sockets.output.write(`${JSON.stringify(messages)}\n`, () => delivery?.resolve())
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#sockets.input.destroy()
    this.#sockets.output.destroy()
    for (const { reject } of this.#waiting.values()) reject(this.#options.unreachable())
    this.#waiting.clear()
    this.#hasClosed()
  }

  #send(message: Message): void {
    this.#outgoing.push(message)
    if (this.#outgoing.length === 1) writeAtEndOfTurn(this)
  }

  #take(messages: readonly Message[]): void {
    for (const [id, first, second] of messages) {
      if (id < 0) this.#settle(-id, first, second)
      else if (id > 0) this.#answer(id, first as string, second as never[])
      // Without a handler nobody listens yet, so nothing can be outdated by it.
      else this.#handlers.get(first as string)?.(...(second as never[]))
    }
    // Results that are known already do not wait for the end of the turn.
    this.flush()
  }

  #answer(id: number, name: string, args: never[]): void {
    const fail = (error: unknown): void => this.#send([-id, null, this.#options.errors.write(error)])
    try {
      const handler = this.#handlers.get(name)
      if (handler === undefined) throw new Error('the link has no such function')
      const result = handler(...args)
      if (result instanceof Promise) result.then(value => this.#send([-id, value]), fail)
      else this.#send([-id, result])
    } catch (error) {
      fail(error)
    }
  }

  #settle(id: number, value: unknown, error: unknown): void {
    const caller = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) caller?.resolve(value)
    else caller?.reject(this.#options.errors.read(error))
  }
}

/** Cuts at line ends; a line may come in any number of pieces. */
function readLines(take: (line: string) => void): (bytes: Buffer) => void {
  let begun: Buffer[] = []
  return bytes => {
    let start = 0
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
      const piece = bytes.subarray(start, end)
      const line = begun.length === 0 ? piece : Buffer.concat([...begun, piece])
      begun = []
      start = end + 1
      take(line.toString())
    }
    if (start < bytes.length) begun.push(bytes.subarray(start))
  }
}
