// Reads a header that must occur exactly once, whichever reader the request came from.

import type { PlaneRequest } from './exchange.ts'
import { FastLaneRequest } from './fast-lane/request.ts'

/** Null if the header is absent or repeated. */
export function findOnlyHeader(request: PlaneRequest, name: string): string | null {
  // On the fast lane each header occurred once.
  const given = request instanceof FastLaneRequest ? request.headers[name] : request.headersDistinct[name]
  if (typeof given === 'string') return given
  return given?.length === 1 ? given[0]! : null
}
