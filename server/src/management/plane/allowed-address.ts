// Checks an address that a client wants to store against the rules for private networks. All rejections are alike, so
// that clients cannot map the internal network by trial.

import { Refusal } from '../../domain/errors.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'

/** Returns the normalised address; null if the value is missing, null or blank. */
export async function getAllowedAddress(outbound: Pick<Outbound, 'check'>, value: unknown): Promise<string | null> {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Refusal('invalid_base_url')
  const text = value.trim()
  if (text === '') return null
  return (await getAllowedUrl(outbound, text)).replace(/\/+$/, '')
}

/** Returns the address as the URL standard writes it; its path stays as it is. */
export async function getAllowedUrl(outbound: Pick<Outbound, 'check'>, text: string): Promise<string> {
  try {
    return (await outbound.check(text.trim())).href
  } catch (cause) {
    if (!(cause instanceof OutboundFailure)) throw cause
    throw new Refusal('invalid_base_url', { cause })
  }
}
