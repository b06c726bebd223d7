// What stands in the place of a masked value: its form, and how it is derived from the value, the same one for the same
// value in a project. Knows neither who is restored what nor how a model may garble it.

import { createHmac } from 'node:crypto'
import { type EntityType, entityTypes } from '../../domain/settings/settings.ts'
import { sliceText } from '../slices.ts'

export const hexLength = 12

export function maskToken(type: EntityType, hex: string): string {
  return `<${type}_${hex}>`
}

export function placeholder(type: EntityType): string {
  return `<${type}>`
}

/** `salt` tells values apart that would else share a token. */
export function maskHex(key: Uint8Array, type: EntityType, normalValue: string, salt = ''): string {
  const hmac = createHmac('sha256', key).update(JSON.stringify([type, normalValue, ...(salt === '' ? [] : [salt])]))
  return hmac.digest('hex').slice(0, hexLength)
}

// As lenient as whoever restores: what is typed here must not be taken for what was minted here.
const typeForms = entityTypes.map(type => type.replaceAll('_', '(?:\\\\{0,2}_|[ -])')).join('|')
const written = new RegExp(`(?:${typeForms})(?:\\\\{0,2}_|[ -])([0-9a-f]{${hexLength}})`, 'gi')

/** The hex parts of everything in these texts that looks like a token. Yields where others may run. */
export function* hexesWrittenIn(texts: Iterable<string>): Generator<void, Set<string>> {
  const hexes = new Set<string>()
  for (const text of texts) {
    // A token is shorter than what two slices share.
    for (const slice of sliceText(text)) {
      for (const [, hex = ''] of slice.text.matchAll(written)) hexes.add(hex)
      yield
    }
  }
  return hexes
}

const whole = new RegExp(`<(?:${entityTypes.join('|')})_[0-9a-f]{${hexLength}}>`, 'g')

/** Without those that lie inside of a token: no value is part of one. In order, as they came. */
export function withoutTokenParts<Span extends { start: number; end: number }>(
  text: string,
  spans: readonly Span[],
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
