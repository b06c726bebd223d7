// Lets the protocol library make its requests through the guarded HTTP client, bounded in time and size.

import type { Outbound } from '../outbound/outbound.ts'

const timeoutMs = 5_000
const maxBytes = 262_144
/** Statuses whose responses have no body. */
const bodiless = new Set([204, 205, 304])

export interface FetchGuard {
  guard: 'tenant' | 'operator'
  tenantId?: string
}

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
}

export function fetchThrough(outbound: Outbound, guard: FetchGuard) {
  return async (url: string, { method, headers, body }: FetchOptions): Promise<Response> => {
    const answer = await outbound.send({
      ...guard,
      url,
      method,
      headers,
      body: body === undefined || body === null ? null : String(body),
      timeoutMs,
      maxBytes,
    })
    const { status } = answer
    const kept = new Headers()
    for (const name of ['content-type', 'www-authenticate']) {
      const value = answer.headers[name]
      if (typeof value === 'string') kept.set(name, value)
    }
    const hasAnswer = !bodiless.has(status) && status >= 200
    return new Response(hasAnswer ? new Uint8Array(answer.body) : null, { status, headers: kept })
  }
}
