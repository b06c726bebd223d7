// Sets or removes members of a request's JSON object and keeps every other byte, so that the provider reads the same
// numbers, escapes and white space as the client wrote.

import type { JsonObject } from '../json-object.ts'
import { endOfText } from '../json-values.ts'
import { writeJson } from './json-text.ts'

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
/** The last of the spaces, tabs and line ends, the only bytes that JSON has between its values. */
const lastBlank = 0x20
const largeLength = 65_536

/** A member of the outermost object. */
interface Member {
  name: string
  start: number
  valueStart: number
  end: number
}

/**
 * `bytes` are an object that JSON.parse accepts. An undefined value removes the member. Returns null if any object has
 * two members of one name: the provider might read the one that the guardrails did not.
 */
export function patchBody(bytes: Uint8Array, changes: JsonObject): Uint8Array | null {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const members = findMembers(body)
  return members === null ? null : joinPieces(body, members, changes)
}

function joinPieces(body: Buffer, members: readonly Member[], changes: JsonObject): Buffer {
  const pieces: Buffer[] = []
  let copied = 0
  let hasKept = false
  const replace = (from: number, to: number, text: string) => {
    pieces.push(body.subarray(copied, from), Buffer.from(text))
    copied = to
  }
  const added = new Map(Object.entries(changes).filter(([, value]) => value !== undefined))
  for (const [index, { name, start, valueStart, end }] of members.entries()) {
    if (!Object.hasOwn(changes, name)) hasKept = true
    else if (added.has(name)) {
      const text = writeJson(added.get(name))
      if (!isSameValue(body.toString('utf8', valueStart, end), text)) replace(valueStart, end, text)
      added.delete(name)
      hasKept = true
    } else if (hasKept) replace(members[index - 1]?.end ?? start, end, '')
    else replace(start, members[index + 1]?.start ?? end, '')
  }
  const texts = [...added].map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`)
  const place = members.at(-1)?.end ?? body.indexOf(openBrace) + 1
  if (texts.length > 0) replace(place, place, `${hasKept ? ',' : ''}${texts.join(',')}`)
  return Buffer.concat([...pieces, body.subarray(copied)])
}

/** A value that is already there stays as the client wrote it; a large one is not read for that. */
function isSameValue(given: string, text: string): boolean {
  return given.length > largeLength ? given === text : JSON.stringify(JSON.parse(given)) === text
}

function findMembers(body: Buffer): Member[] | null {
  const members: Member[] = []
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  let names: Set<string> | null = null
  let isNameNext = false
  /** The end of the last value: white space may follow. */
  let end = 0
  const endMember = () => {
    const last = members.at(-1)
    if (open.length === 1 && last !== undefined) last.end = end
  }
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === undefined || byte <= lastBlank) continue
    if (byte === quote) {
      const close = endOfText(body, at)
      if (isNameNext && names !== null) {
        const name = readName(body, at, close)
        if (names.has(name)) return null
        names.add(name)
        const valueStart = findValue(body, close + 1)
        if (open.length === 1) members.push({ name, start: at, valueStart, end: valueStart })
        isNameNext = false
        at = valueStart - 1
        continue
      }
      at = close
    } else if (byte === openBrace || byte === openBracket) {
      names = byte === openBrace ? new Set() : null
      isNameNext = names !== null
      open.push(names)
    } else if (byte === closeBrace || byte === closeBracket) {
      endMember()
      open.pop()
      names = open.at(-1) ?? null
      isNameNext = false
    } else if (byte === comma) {
      endMember()
      isNameNext = names !== null
      continue
    }
    end = at + 1
  }
  return members
}

function readName(body: Buffer, open: number, close: number): string {
  const raw = body.toString('utf8', open + 1, close)
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
}

function findValue(body: Buffer, from: number): number {
  let at = from
  while (body[at] !== colon) at++
  do at++
  while ((body[at] ?? 0) <= lastBlank && at < body.length)
  return at
}
