// Bounds how many values a JSON text may have, before it is parsed: what reads, checks and writes them takes its time
// for each value, not for each byte.

/**
 * Texts, names, lists and objects of a request: many times what the longest conversations have. Numbers and literals
 * are not counted, since vectors have millions of them.
 */
export const maxValues = 100_000
/** Of a whole answer: log probabilities have a hundred of them for each token. */
export const maxAnswerValues = 1_000_000
/** Of one event, which has some tokens. It is read in one turn. */
export const maxEventValues = 50_000
const bytesPerValue = 2

const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const openObject = 0x7b

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

/** Where the text that begins at `start` ends. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++
  return at
}
