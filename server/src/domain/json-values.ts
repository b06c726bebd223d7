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

const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const openObject = 0x7b
const closeList = 0x5d
const closeObject = 0x7d
/** OpenAI's and compatible providers', and Google's. */
const logprobNames = ['logprobs', 'logprobsResult'].map(name => Buffer.from(name))

/** Expects UTF-8; counts as well as it can what is not JSON. */
export function hasTooManyValues(json: Uint8Array, max: number): boolean {
  if (json.length <= bytesPerValue * max) return false
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
export function hasTooManyAnswerValues(json: Uint8Array): boolean {
  if (json.length <= bytesPerValue * maxAnswerValues) return false
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

/** Where the text that begins at `start` ends. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++
  return at
}

function isLogprobs(json: Uint8Array, start: number, end: number): boolean {
  return logprobNames.some(name => name.length === end - start && name.equals(json.subarray(start, end)))
}
