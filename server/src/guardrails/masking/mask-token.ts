// The token that replaces a masked value: its form, and how it is derived from the value, the same one for the same
// value in a project.

import { createHmac } from 'node:crypto'
import type { EntityName } from '../../domain/settings/settings.ts'
import { sliceText } from '../slices.ts'

export const hexLength = 12

export function maskToken(type: EntityName, hex: string): string {
  return `<${type}_${hex}>`
}

export function placeholder(type: EntityName): string {
  return `<${type}>`
}

/** `salt` separates values that would otherwise share a token. */
export function maskHex(key: Uint8Array, type: EntityName, normalValue: string, salt = ''): string {
  const hmac = createHmac('sha256', key).update(JSON.stringify([type, normalValue, ...(salt === '' ? [] : [salt])]))
  return hmac.digest('hex').slice(0, hexLength)
}

// As lenient as the restorer: a token that a user typed must not be taken for one minted here.
// Any type may be written, since projects name their own.
const written = new RegExp(`(?:\\\\{0,2}_|[ -])([0-9a-f]{${hexLength}})`, 'gi')

/** Collects the hex parts of everything in these texts that looks like a token. Yields so that others can run. */
export function* hexesWrittenIn(texts: Iterable<string>): Generator<void, Set<string>> {
  const hexes = new Set<string>()
  for (const text of texts) {
    // A token is shorter than the overlap of two slices.
    for (const slice of sliceText(text)) {
      for (const [, hex = ''] of slice.text.matchAll(written)) hexes.add(hex)
      yield
    }
  }
  return hexes
}

/** Matches the tokens of these types. */
export function tokensOf(types: readonly EntityName[]): RegExp {
  return new RegExp(`<(?:${types.join('|')})_[0-9a-f]{${hexLength}}>`, 'g')
}

/** Drops spans inside a token: no value is part of one. Keeps the order. */
export function withoutTokenParts<Span extends { start: number; end: number }>(
  text: string,
  spans: readonly Span[],
  whole: RegExp,
): readonly Span[] {
  const tokens = [...text.matchAll(whole)].map(({ index, 0: token }) => ({ start: index, end: index + token.length }))
  if (tokens.length === 0) return spans
  let next = 0
  return spans.filter(({ start, end }) => {
    while (next < tokens.length && (tokens[next]?.end ?? 0) <= start) next++
    const token = tokens[next]
    return token === undefined || start < token.start || end > token.end
  })
}
