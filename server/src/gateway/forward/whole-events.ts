// Cuts a relayed event stream at the ends of events, so that an event of our own can follow at any time and a parser
// reads it as one. Holds back at most the beginning of one event. Does not parse the fields of events.

import { GrowingBuffer } from '../../http/growing-buffer.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

export interface WholeEvents {
  /** Returns what may be passed on, up to the end of the last whole event; null if nothing yet. Keeps copies only. */
  take(chunk: Buffer): Buffer | null
  /** The beginning of an event that is still held back; null if there is none. */
  rest(): Buffer | null
  /** Whether everything passed on so far is whole events: only then may an event of ours follow. */
  isBetweenEvents(): boolean
  /** Bytes since the last event's end. */
  unfinishedBytes(): number
}

/** To bound memory, an event beyond `heldBytes` is passed on unfinished; `isBetweenEvents` is false until it ends. */
export function createWholeEvents(heldBytes: number): WholeEvents {
  let held: GrowingBuffer | null = null
  let unfinished = 0
  let isTorn = false
  // The last two bytes before the chunk: the end of an event may span two chunks.
  let before = 0
  let beforeThat = 0

  function hold(bytes: Buffer) {
    if (bytes.length === 0) return
    held ??= new GrowingBuffer(Number.MAX_SAFE_INTEGER)
    held.add(bytes)
  }

  function release(bytes: Buffer): Buffer {
    if (held === null) return bytes
    held.add(bytes)
    const all = held.whole()
    held = null
    return all
  }

  return {
    take(chunk) {
      const end = findLastEnd(chunk, before, beforeThat)
      if (chunk.length > 1) beforeThat = chunk[chunk.length - 2]!
      else if (chunk.length === 1) beforeThat = before
      if (chunk.length > 0) before = chunk[chunk.length - 1]!
      if (end > 0) {
        const whole = release(end === chunk.length ? chunk : chunk.subarray(0, end))
        isTorn = false
        unfinished = chunk.length - end
        hold(chunk.subarray(end))
        return whole
      }
      unfinished += chunk.length
      if (!isTorn && (held?.length ?? 0) + chunk.length <= heldBytes) {
        hold(chunk)
        return null
      }
      isTorn = true
      return release(chunk)
    },
    rest: () => (held === null ? null : release(Buffer.alloc(0))),
    isBetweenEvents: () => !isTorn,
    unfinishedBytes: () => unfinished,
  }
}

/** The index after the chunk's last blank line, 0 if it has none. By the standard, lines end with LF, CR or CR LF. */
function findLastEnd(chunk: Buffer, before: number, beforeThat: number): number {
  const at = (index: number) => (index >= 0 ? chunk[index]! : index === -1 ? before : beforeThat)
  for (let index = chunk.length - 1; index >= 0; index = previousLineEnd(chunk, index - 1)) {
    const last = at(index)
    const previous = at(index - 1)
    if (last === carriageReturn) {
      if (previous === lineFeed || previous === carriageReturn) return index + 1
    } else if (last === lineFeed) {
      if (previous === lineFeed) return index + 1
      if (previous === carriageReturn && isLineEnd(at(index - 2))) return index + 1
    }
  }
  return 0
}

function previousLineEnd(chunk: Buffer, from: number): number {
  if (from < 0) return -1
  if (isLineEnd(chunk[from]!)) return from
  return Math.max(chunk.lastIndexOf(lineFeed, from), chunk.lastIndexOf(carriageReturn, from))
}

const isLineEnd = (byte: number) => byte === lineFeed || byte === carriageReturn
