// Finds JSON Web Tokens: their header must be JSON that names an algorithm.

import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import { type FoundValue, scoreOfForm } from './found-value.ts'

/** `{"` in base64url. */
const firstCharacters = 'eyJ'
const firstLetter = firstCharacters.charCodeAt(0)
const maxHeader = 2_048
const minHeader = 12
/** Longer tokens are masked up to here. */
const maxToken = 16_384
const maxParts = 5
/** At least this much of a token must be there if the end of the text cuts it off. */
const minCut = 256

export function findJwtAt(text: string, start: number): FoundValue | null {
  if (text.charCodeAt(start) !== firstLetter || !text.startsWith(firstCharacters, start)) return null
  const headerEnd = endOfPart(text, start, start + maxHeader)
  const header = text.slice(start, headerEnd)
  if (header.length < minHeader) return null
  if (headerEnd === text.length) return isCutHeader(header) ? { start, end: headerEnd, score: scoreOfForm } : null
  if (text[headerEnd] !== '.' || !isHeader(header)) return null
  let end = headerEnd
  let parts = 1
  while (parts < maxParts && text[end] === '.') {
    const partEnd = endOfPart(text, end + 1, start + maxToken)
    // The end of a sentence.
    if (partEnd === end + 1 && parts >= 2) break
    end = partEnd
    parts++
  }
  const isCut = text.length - end <= (text[end] === '.' ? 1 : 0) && end - start >= minCut
  return parts >= 3 || isCut ? { start, end, score: scoreOfForm } : null
}

function isCutHeader(part: string): boolean {
  return part.length >= minCut && Buffer.from(part, 'base64url').toString().includes('"alg":"')
}

function isHeader(part: string): boolean {
  const header = parseJson(Buffer.from(part, 'base64url').toString())
  return isJsonObject(header) && typeof header['alg'] === 'string'
}

function endOfPart(text: string, from: number, limit: number): number {
  let at = from
  while (at < limit && isBase64Url(text.charCodeAt(at))) at++
  return at
}

function isBase64Url(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f
}
