// The wire format of Redis (RESP2): encodes commands, and parses replies that arrive in pieces.

/** An error that Redis replied. Its text may quote keys and values. */
export class RedisError {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Text, a number, `RedisError`, null, or a list of these; `replies.ts` checks them. */
export type RedisReply = unknown

export function encodeCommand(args: ReadonlyArray<string | number>): string {
  let command = `*${args.length}\r\n`
  for (const arg of args) {
    const text = typeof arg === 'string' ? arg : String(arg)
    command += `$${Buffer.byteLength(text)}\r\n${text}\r\n`
  }
  return command
}

const [plus, minus, dollar, star, colon, zero, carriageReturn] = [0x2b, 0x2d, 0x24, 0x2a, 0x3a, 0x30, 0x0d]

interface OpenList {
  readonly list: RedisReply[]
  missing: number
}

/** Throws on bytes that are not a reply: nothing after them can be parsed. */
export class ReplyReader {
  readonly #onReply: (reply: RedisReply) => void
  /** Lists that are not complete, the outermost first. */
  readonly #open: OpenList[] = []
  /** The beginning of an item that is not complete, in pieces. */
  #pieces: Buffer[] = []
  #held = 0
  /** The item has at least so many bytes. */
  #wanted = 0
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(onReply: (reply: RedisReply) => void) {
    this.#onReply = onReply
  }

  /** Keeps only copies of the bytes. */
  take(bytes: Buffer): void {
    if (this.#held > 0) {
      if (this.#held + bytes.length < this.#wanted) {
        this.#hold(bytes)
        return
      }
      this.#pieces.push(bytes)
      this.#bytes = Buffer.concat(this.#pieces)
      this.#pieces = []
      this.#held = 0
    } else this.#bytes = bytes
    this.#at = 0
    let isComplete = true
    while (isComplete && this.#at < this.#bytes.length) isComplete = this.#readItem()
    if (!isComplete) this.#hold(this.#bytes.subarray(this.#at))
  }

  #hold(bytes: Buffer): void {
    this.#pieces.push(Buffer.from(bytes))
    this.#held += bytes.length
  }

  /** False if the item is not complete. */
  #readItem(): boolean {
    const bytes = this.#bytes
    const from = this.#at + 1
    const end = bytes.indexOf(carriageReturn, from)
    if (end < 0 || end + 1 >= bytes.length) {
      this.#wanted = bytes.length - this.#at + 1
      return false
    }
    switch (bytes[this.#at]) {
      case colon:
        return this.#pass(end + 2, this.#numberIn(from, end))
      case dollar:
        return this.#readText(this.#numberIn(from, end), end + 2)
      case star:
        return this.#openList(this.#numberIn(from, end), end + 2)
      case plus:
        return this.#pass(end + 2, bytes.toString('latin1', from, end))
      case minus:
        return this.#pass(end + 2, new RedisError(bytes.toString('utf8', from, end)))
      default:
        throw new Error('Redis sent something other than an answer')
    }
  }

  #readText(length: number, from: number): boolean {
    if (length < 0) return this.#pass(from, null)
    const end = from + length
    if (end + 2 > this.#bytes.length) {
      this.#wanted = end + 2 - this.#at
      return false
    }
    return this.#pass(end + 2, this.#bytes.toString('utf8', from, end))
  }

  #openList(length: number, next: number): boolean {
    if (length < 0) return this.#pass(next, null)
    if (length === 0) return this.#pass(next, [])
    this.#open.push({ list: [], missing: length })
    this.#at = next
    return true
  }

  /** One item is complete, and possibly the lists of which it is the last item. */
  #pass(next: number, item: RedisReply): true {
    this.#at = next
    let complete = item
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) {
      inner.list.push(complete)
      inner.missing -= 1
      if (inner.missing > 0) return true
      this.#open.pop()
      complete = inner.list
    }
    this.#onReply(complete)
    return true
  }

  #numberIn(from: number, end: number): number {
    const bytes = this.#bytes
    const isNegative = bytes[from] === minus
    let number = 0
    for (let at = isNegative ? from + 1 : from; at < end; at++) {
      const digit = bytes[at]! - zero
      if (!(digit >= 0 && digit <= 9)) throw new Error('Redis sent something other than a number')
      number = number * 10 + digit
    }
    return isNegative ? -number : number
  }
}
