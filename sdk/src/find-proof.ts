// The search for a proof of work: a number behind the challenge with which the SHA-256 of both begins with enough zero
// bits. The functions are also the text of a worker's program, where each has only what it is called with.

interface Tables {
  /** The round constants of SHA-256. */
  constants: Int32Array
  /** The state before the first block. */
  start: Int32Array
  /** The message schedule of the block in work. */
  words: Int32Array
}

interface Search {
  challenge: string
  difficulty: number
  first: number
  count: number
}

/** Tries `count` numbers from `first` on; returns the proof, or null if none of them is one. */
export function findProof(challenge: string, difficulty: number, first: number, count: number): string | null {
  return search(makeTables(), addBlock, { challenge, difficulty, first, count })
}

/** A program for a worker, which posts the proof. */
export function proofProgram(challenge: string, difficulty: number): string {
  const given = `{challenge:${JSON.stringify(challenge)},difficulty:${Number(difficulty)},first:0,count:Infinity}`
  return `postMessage((${search})((${makeTables})(),${addBlock},${given}))`
}

/** The fractions of the roots of the first primes, as the standard defines the constants. */
function makeTables(): Tables {
  const constants = new Int32Array(64)
  const start = new Int32Array(8)
  const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0
  let primes = 0
  for (let candidate = 2; primes < 64; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false
    if (!isPrime) continue
    if (primes < 8) start[primes] = fraction(candidate ** (1 / 2))
    constants[primes++] = fraction(candidate ** (1 / 3))
  }
  return { constants, start, words: new Int32Array(64) }
}

/** Adds a block of 64 bytes to the state. */
function addBlock({ constants, words }: Tables, state: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = offset + 4 * i
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

function search(tables: Tables, add: typeof addBlock, { challenge, difficulty, first, count }: Search): string | null {
  const prefix = new TextEncoder().encode(`${challenge}.`)
  // Whole blocks of the challenge are the same for all numbers.
  const common = tables.start.slice()
  const whole = prefix.length - (prefix.length % 64)
  for (let offset = 0; offset < whole; offset += 64) add(tables, common, prefix, offset)
  const rest = prefix.subarray(whole)
  const state = new Int32Array(8)
  let tail = new Uint8Array(0)
  let digits = 0
  for (let number = first; number < first + count; number++) {
    const text = String(number)
    if (text.length !== digits) {
      digits = text.length
      tail = new Uint8Array(rest.length + digits + 9 > 64 ? 128 : 64)
      tail.set(rest)
      tail[rest.length + digits] = 0x80
      new DataView(tail.buffer).setUint32(tail.length - 4, (prefix.length + digits) * 8)
    }
    for (let i = 0; i < digits; i++) tail[rest.length + i] = text.charCodeAt(i)
    state.set(common)
    for (let offset = 0; offset < tail.length; offset += 64) add(tables, state, tail, offset)
    if (Math.clz32(state[0]!) >= difficulty) return `${challenge}.${number}`
  }
  return null
}
