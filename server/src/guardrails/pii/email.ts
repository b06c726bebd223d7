// Finds e-mail addresses around an at-sign. Reads a bounded distance from it, and never the same text for another sign.

import type { Tokens } from './tokens.ts'

export interface Range {
  start: number
  end: number
}

const maxLocalLength = 64
const maxDomainLength = 253
const stepsToRead = 8

/** File extensions that are not domains, as in logo@2x.png. */
const fileEndings = new Set(
  'png jpg jpeg gif svg webp css js mjs ts tsx jsx html htm xml json yaml yml txt pdf csv log'.split(' '),
)

/** The address around this at-sign, or null. */
export function findEmailAt(tokens: Tokens, at: number): Range | null {
  const { text } = tokens
  const start = startOfLocal(text, at)
  if (start === at) return null
  tokens.steps += at - start
  const end = endOfDomain(text, at + 1)
  // Text between two signs is read at most twice: neither direction goes past another sign.
  tokens.steps += stepsToRead + Math.max(0, end - at)
  if (end === -1) return null
  return isInUrlOrPath(text, start, at, end) ? null : { start, end }
}

function startOfLocal(text: string, at: number): number {
  let start = at
  const floor = Math.max(0, at - maxLocalLength)
  while (start > floor && isLocal(text.charCodeAt(start - 1))) start--
  if (start === floor && start > 0 && isLocal(text.charCodeAt(start - 1))) return at
  while (start < at && !isLetterOrDigit(text.charCodeAt(start)) && text.charCodeAt(start) !== 0x5f) start++
  return text.charCodeAt(at - 1) === 0x2e ? at : start
}

/** Labels of letters, digits and hyphens with dots between, the last of two letters or more. */
function endOfDomain(text: string, from: number): number {
  let end = -1
  let labelStart = from
  let at = from
  for (; at - from <= maxDomainLength; at++) {
    const code = text.charCodeAt(at)
    if (isLetterOrDigit(code) || (code === 0x2d && at > labelStart)) continue
    const label = at - labelStart
    if (label === 0 || label > 63) break
    if (labelStart > from && isTopLevel(text, labelStart, at)) end = at
    else if (labelStart > from) end = -1
    if (code !== 0x2e || !isLetterOrDigit(text.charCodeAt(at + 1))) break
    labelStart = at + 1
  }
  return end === -1 || fileEndings.has(text.slice(text.lastIndexOf('.', end - 1) + 1, end).toLowerCase()) ? -1 : end
}

function isTopLevel(text: string, start: number, end: number): boolean {
  if (end - start < 2 || text.charCodeAt(end - 1) === 0x2d) return false
  if (text.startsWith('xn--', start)) return true
  for (let at = start; at < end; at++) if (isDigit(text.charCodeAt(at)) || text.charCodeAt(at) === 0x2d) return false
  return true
}

/** The password of a URL's `user:password@host`, and the path of `git@host:path`. */
function isInUrlOrPath(text: string, start: number, at: number, end: number): boolean {
  const before = text.charCodeAt(start - 1)
  if (before === 0x3a && text.lastIndexOf('//', start) >= start - maxLocalLength && isUserInfo(text, start)) return true
  if (before === 0x2f && text.charCodeAt(start - 2) === 0x2f) return true
  return text.charCodeAt(end) === 0x3a && isLetterOrDigit(text.charCodeAt(end + 1)) && text.slice(start, at) === 'git'
}

function isUserInfo(text: string, start: number): boolean {
  for (let at = start - 2; at >= 0 && start - at <= maxLocalLength; at--) {
    const code = text.charCodeAt(at)
    if (code === 0x2f) return text.charCodeAt(at - 1) === 0x2f
    if (!isLocal(code)) return false
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || isForeignLetter(code)
}

function isForeignLetter(code: number): boolean {
  return (
    code >= 0xc0 &&
    code !== 0xd7 &&
    code !== 0xf7 &&
    (code < 0x2000 || code > 0x206f) &&
    (code < 0x3000 || code > 0x303f)
  )
}

/** Other characters are allowed too, but in running text they mean something else. */
const localMarks = new Set([...".%'+-_"].map(mark => mark.charCodeAt(0)))

function isLocal(code: number): boolean {
  return isLetterOrDigit(code) || localMarks.has(code)
}
