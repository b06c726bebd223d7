// What stands in the place of a masked value: its form, and how it is derived from the value, the same one for the same
// value in a project. Knows neither who is restored what nor how a model may garble it.

import { createHmac } from 'node:crypto'
import { type EntityType, entityTypes } from '../../domain/settings.ts'

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

/** The hex parts of everything in a text that looks like a token. */
export function hexesWrittenIn(text: string): string[] {
  return [...text.matchAll(written)].map(match => match[1] ?? '')
}

const whole = new RegExp(`<(?:${entityTypes.join('|')})_[0-9a-f]{${hexLength}}>`, 'g')
const longestToken = Math.max(...entityTypes.map(type => type.length)) + hexLength + 3

/** Whether [start, end) lies inside of a token: no value is part of one. */
export function isInsideToken(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - longestToken)
  for (const match of text.slice(from, end + longestToken).matchAll(whole)) {
    const at = from + match.index
    if (at <= start && end <= at + match[0].length) return true
  }
  return false
}
