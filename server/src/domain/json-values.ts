// Bounds how many values a JSON text may have, before it is parsed: what reads, checks and writes them takes its time
// for each value, not for each byte.

/**
 * Texts, names, lists and objects of a request: many times what the longest conversations have. Numbers and literals
 * are not counted, since vectors have millions of them.
 */
export const maxValues = 100_000
/** Of a whole answer, or of one event of a stream, without its log probabilities. Each is read in one turn. */
export const maxAnswerValues = 30_000
/** Of log probabilities, which have up to 130 for each token. All but Google's are written as they were read. */
export const maxLogprobValues = 600_000
const bytesPerValue = 2
/** An answer or an event of at most this many bytes cannot have too many values. */
export const fewAnswerBytes = bytesPerValue * maxAnswerValues

const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const openObject = 0x7b
const closeList = 0x5d
const closeObject = 0x7d
/** OpenAI's and compatible providers', and Google's. */
const logprobNames = ['logprobs', 'logprobsResult'].map(name => Buffer.from(name))

/** Expects UTF-8; counts as well as it can what is not JSON. */
export function hasTooManyValues(bytes: Uint8Array, max: number): boolean {
  if (bytes.length <= bytesPerValue * max) return false
  const json = bufferOf(bytes)
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfText(json, at)
    else if (byte !== openList && byte !== openObject) continue
    if (++count > max) return true
  }
  return false
}

/** The same for an answer or an event of a provider, whose log probabilities are counted apart. */
export function hasTooManyAnswerValues(bytes: Uint8Array): boolean {
  if (bytes.length <= fewAnswerBytes) return false
  const json = bufferOf(bytes)
  let [count, logprobs, depth] = [0, 0, 0]
  /** Where the log probabilities began that are being read. */
  let outerDepth = Number.POSITIVE_INFINITY
  let isNamed = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === closeList || byte === closeObject) {
      depth--
      isNamed = false
      if (depth <= outerDepth) outerDepth = Number.POSITIVE_INFINITY
      continue
    }
    const isOpening = byte === openList || byte === openObject
    if (byte === quote) {
      const start = at
      at = endOfText(json, at)
      isNamed = isLogprobs(json, start + 1, at)
    } else if (isOpening) {
      if (isNamed) outerDepth = Math.min(outerDepth, depth)
      isNamed = false
      depth++
    } else continue
    const isLogprob = depth > outerDepth
    if (isLogprob ? ++logprobs > maxLogprobValues : ++count > maxAnswerValues) return true
  }
  return false
}

/** Below this many bytes a loop is faster than a search. */
const shortText = 32

/**
 * Where the text that begins at `start` ends. A loop goes on while escapes follow each other: a search for each of
 * millions of escaped quotes takes a second.
 */
export function endOfText(json: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    for (let end = at + shortText; at < end; at++) {
      if (json[at] === quote) return at
      if (json[at] === backslash) end = ++at + shortText
    }
    const from = at
    at = json.indexOf(quote, from)
    if (at === -1) return json.length
    let first = at
    while (first > from && json[first - 1] === backslash) first--
    if ((at - first) % 2 === 0) return at
  }
}

function isLogprobs(json: Buffer, start: number, end: number): boolean {
  return logprobNames.some(name => name.length === end - start && name.equals(json.subarray(start, end)))
}

/** Without a copy. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
