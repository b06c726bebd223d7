// Checks that entries form an unbroken chain, and names the first place where they do not. Works on what a client got:
// knows no database.

import { isJsonObject, type JsonObject } from '../json-object.ts'
import { hashEntry } from './entry.ts'

export interface ChainFault {
  /** Of the entry where the chain breaks; null where it has none. */
  seq: number | null
  kind: 'changed' | 'missing' | 'out_of_order' | 'added' | 'no_entry'
  message: string
}

export interface ChainVerifier {
  /** Returns the fault, after which nothing more is known of the chain. */
  add(entry: unknown): ChainFault | null
  readonly count: number
  readonly last: { seq: number; hash: string } | null
}

/** `start` is the entry before the first one that will be added; without it the first entry is believed. */
export function createChainVerifier(start: { seq: number; hash: string } | null): ChainVerifier {
  let last = start
  let count = 0
  return {
    add(entry) {
      if (!isJsonObject(entry)) return fault(null, 'no_entry', 'is no entry of the audit')
      const { seq, hash, prev_hash: previous } = entry
      if (!isPlace(seq) || typeof hash !== 'string') return fault(null, 'no_entry', 'is no entry of the audit')
      const found = check(entry, { seq, hash, previous }, last)
      if (found !== null) return found
      last = { seq, hash }
      count += 1
      return null
    },
    get count() {
      return count
    },
    get last() {
      return last
    },
  }
}

interface Link {
  seq: number
  hash: string
  previous: unknown
}

function check(entry: JsonObject, { seq, hash, previous }: Link, last: { seq: number; hash: string } | null) {
  if (last !== null && seq === last.seq) return fault(seq, 'added', 'stands there twice: one of them was added')
  if (last !== null && seq < last.seq) return fault(seq, 'out_of_order', `stands behind entry ${last.seq}`)
  if (last !== null && seq > last.seq + 1) {
    return fault(last.seq + 1, 'missing', `is missing: entry ${seq} follows entry ${last.seq}`)
  }
  if (hashEntry(entry) !== hash) return fault(seq, 'changed', 'was changed: its hash is not that of its content')
  if (last !== null && previous !== last.hash) {
    return fault(seq, 'added', `does not follow entry ${last.seq}: one of the two was replaced`)
  }
  return null
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

function fault(seq: number | null, kind: ChainFault['kind'], words: string): ChainFault {
  return { seq, kind, message: seq === null ? `A line ${words}` : `Entry ${seq} ${words}` }
}
