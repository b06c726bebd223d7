// Scores an IP address by its form and the words around it: versions and chapters have four numbers too.

import type { Surroundings } from '../context.ts'
import { context } from '../context-words.ts'

export function scoreIpv4(text: string, start: number, end: number, around: Surroundings): number {
  const isNamed = ((around.before | around.after) & context.ip) !== 0
  const next = text.charCodeAt(end)
  const hasPortOrMask =
    (next === 0x2f || next === 0x3a) && text.charCodeAt(end + 1) >= 0x30 && text.charCodeAt(end + 1) <= 0x39
  if ((around.near & context.version) !== 0 && (around.near & context.ip) === 0) return 0.4
  if (isNamed || hasPortOrMask) return 0.95
  const octets = text.slice(start, end).split('.')
  if (octets.some(octet => octet.length > 1 && octet.startsWith('0'))) return 0.5
  const isShort = octets.every(octet => octet.length === 1)
  return isShort && new Set(octets).size > 2 ? 0.6 : 0.8
}

export function scoreIpv6(text: string, start: number, end: number, around: Surroundings): number {
  const before = text.charCodeAt(start - 1)
  const next = text.charCodeAt(end)
  // Code: a call or a template after a scope, a step in a slice.
  if (next === 0x28 || next === 0x3c) return 0.3
  if (before === 0x5b && isNamePart(text.charCodeAt(start - 2))) return 0.3
  if (next === 0x2f && end - start === 2) return 0.78
  const address = text.slice(start, end)
  const isNamed = ((around.before | around.after) & context.ip) !== 0
  const colons = address.split(':').length - 1
  if (colons >= 4 || isNamed) return 0.95
  if (!/\d/.test(address)) return 0.4
  return address.length >= 6 || start === 0 || before !== 0x5b ? 0.8 : 0.75
}

function isNamePart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
    code === 0x5f ||
    code === 0x29 ||
    code === 0x5d
  )
}
