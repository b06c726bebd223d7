// An address that somebody else wants stored: under the rules for private networks, with one answer for all refusals,
// so that nobody maps our network by trying.

import { Refusal } from '../../domain/errors.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'

/** The normalised address; null and empty text mean none. */
export async function getAllowedAddress(outbound: Pick<Outbound, 'check'>, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Refusal('invalid_base_url')
  const text = value.trim()
  if (text === '') return null
  try {
    return (await outbound.check(text)).href.replace(/\/+$/, '')
  } catch (cause) {
    if (!(cause instanceof OutboundFailure)) throw cause
    throw new Refusal('invalid_base_url', { cause })
  }
}
