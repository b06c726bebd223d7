// Parses a JSON object that every parser reads the same way: valid UTF-8, no duplicate member at any level, no
// `__proto__`, bounded depth.
import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../domain/json-object.ts'

export type JsonError = 'not_utf8' | 'not_a_json_object' | 'duplicate_member' | 'forbidden_member' | 'too_deep'

const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const space = 0x20

/** Returns the object, or the reason for rejecting it. */
export function readStrictObject(bytes: Buffer, maxDepth: number): JsonObject | JsonError {
  if (!isUtf8(bytes)) return 'not_utf8'
  // toString keeps a byte order mark, which JSON.parse then rejects.
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'not_a_json_object'
  }
  if (!isJsonObject(value)) return 'not_a_json_object'
  return findAmbiguity(text, maxDepth) ?? value
}

/** Scans text that JSON.parse has accepted, so every string before a colon is a member's name. */
function findAmbiguity(text: string, maxDepth: number): JsonError | null {
  const open: Array<Set<string>> = []
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === openBrace || char === openBracket) {
      if (open.length === maxDepth) return 'too_deep'
      open.push(new Set())
    } else if (char === closeBrace || char === closeBracket) {
      open.pop()
    } else if (char === quote) {
      const end = findClosingQuote(text, at)
      if (isFollowedByColon(text, end)) {
        const name = readName(text, at, end)
        if (name === '__proto__') return 'forbidden_member'
        const names = open[open.length - 1]
        if (names?.has(name)) return 'duplicate_member'
        names?.add(name)
      }
      at = end
    }
  }
  return null
}

function findClosingQuote(text: string, openingQuote: number): number {
  for (let at = openingQuote + 1; ; at++) {
    const char = text.charCodeAt(at)
    if (char === backslash) at++
    else if (char === quote) return at
  }
}

function isFollowedByColon(text: string, closingQuote: number): boolean {
  let at = closingQuote + 1
  while (text.charCodeAt(at) <= space) at++
  return text.charCodeAt(at) === colon
}

function readName(text: string, openingQuote: number, closingQuote: number): string {
  const raw = text.slice(openingQuote + 1, closingQuote)
  return raw.includes('\\') ? (JSON.parse(text.slice(openingQuote, closingQuote + 1)) as string) : raw
}
