// Replaces secrets in the bytes of an answer as they arrive, however the provider cuts them. Bytes that may begin a
// secret wait for the next ones: only a part of an event or of a whole answer, which nobody can read yet.

const redacted = Buffer.from('[redacted]')
const lineEnd = 0x0a
const none = Buffer.alloc(0)

export class ByteRedactor {
  readonly #secrets: readonly Buffer[]
  #held: Buffer = none

  /** Secrets have no line ends: they are values of headers. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.flatMap(bytesOf)
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = none
    const clean = this.#redact(bytes)
    const end = this.#findBeginning(clean)
    this.#held = clean.subarray(end)
    return clean.subarray(0, end)
  }

  /** The bytes that are still held, at the end of the answer. */
  end(): Buffer {
    const rest = this.#held
    this.#held = none
    return rest
  }

  #redact(bytes: Buffer): Buffer {
    let clean = bytes
    for (const secret of this.#secrets) clean = replaceAll(clean, secret)
    return clean
  }

  /** Where the longest end begins that may be the beginning of a secret; the length if there is none. */
  #findBeginning(bytes: Buffer): number {
    if (bytes.length === 0 || bytes[bytes.length - 1] === lineEnd) return bytes.length
    let first = bytes.length
    for (const secret of this.#secrets) first = Math.min(first, findPartAtEnd(bytes, secret))
    return first
  }
}

const isPlain = /^[^"\\/\p{Cc}]*$/u

/** As it is, and as JSON writes it, with and without escaped slashes. */
function bytesOf(secret: string): Buffer[] {
  if (isPlain.test(secret)) return [Buffer.from(secret)]
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = new Set([secret, json, json.replaceAll('/', '\\/')])
  return [...forms].map(form => Buffer.from(form))
}

function replaceAll(bytes: Buffer, secret: Buffer): Buffer {
  let at = bytes.indexOf(secret)
  if (at === -1) return bytes
  const pieces: Buffer[] = []
  let copied = 0
  for (; at !== -1; at = bytes.indexOf(secret, copied)) {
    pieces.push(bytes.subarray(copied, at), redacted)
    copied = at + secret.length
  }
  return Buffer.concat([...pieces, bytes.subarray(copied)])
}

function findPartAtEnd(bytes: Buffer, secret: Buffer): number {
  const [first = 0] = secret
  const from = Math.max(0, bytes.length - secret.length + 1)
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.compare(secret, 0, bytes.length - at, at) === 0) return at
  }
  return bytes.length
}
