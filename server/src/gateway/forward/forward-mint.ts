// Forwards requests that mint tokens on a project's host to the api role if this process has none, with credential and
// body unchanged, and returns the response unchanged. Errors of this file have the mint's error format.

import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import { managementErrors } from '../../http/error-formats.ts'
import type { PlaneRequest, PlaneResponse } from '../../http/exchange.ts'
import type { RequestHandler } from '../../http/front/accept-request.ts'
import type { Incoming } from '../../http/incoming.ts'
import { readBytes } from '../../http/read-body.ts'
import { replyError } from '../../http/reply.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { SmallAnswer } from '../../outbound/send.ts'
import { passHeader } from './answer-headers.ts'

interface MintForwarderOptions {
  outbound: Pick<Outbound, 'send'>
  apiUrl: string
  /** With it, the api role answers regardless of the host name it is reached by. */
  internalSecret: string | null
  log: Log
  timeoutMs?: number
}

const maxBytes = 1_048_576
const passedRequest = ['authorization', 'content-type', 'content-encoding', 'idempotency-key'] as const
const passedAnswer = ['content-type', 'cache-control', 'retry-after', 'allow', 'www-authenticate'] as const

/** For the paths that mint tokens on a project's host only: the caller checks the path. */
export function createMintForwarder(options: MintForwarderOptions): RequestHandler {
  const { outbound, internalSecret, log, timeoutMs = 15_000 } = options
  const base = options.apiUrl.replace(/\/+$/, '')

  async function forward(request: PlaneRequest, incoming: Incoming): Promise<SmallAnswer> {
    if (incoming.host.kind !== 'project') throw new Refusal('not_found')
    const body = await readBytes(request, { maxBytes })
    try {
      return await outbound.send({
        url: `${base}/p/${incoming.host.slug}${incoming.path}`,
        method: incoming.method,
        headers: {
          ...pick(request.headers),
          'x-forwarded-for': incoming.clientAddress,
          ...(internalSecret === null ? {} : { 'x-internal-secret': internalSecret }),
        },
        body: body.length === 0 ? null : body,
        guard: 'operator',
        timeoutMs,
        maxBytes,
      })
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error
      log.warn('mint request could not be forwarded', {
        request_id: incoming.id,
        reason: error.kind,
        code: error.reason,
      })
      throw new Refusal(error.connected ? 'mint_failed' : 'mint_unreachable', { cause: error })
    }
  }

  return async (request, response, incoming) => {
    incoming.logContext.route = incoming.path
    try {
      passBack(response, await forward(request, incoming))
    } catch (error) {
      replyError(response, error, { format: managementErrors, log, requestId: incoming.id })
    }
  }
}

function pick(headers: IncomingHttpHeaders): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of passedRequest) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}

function passBack(response: PlaneResponse, { status, headers, body }: SmallAnswer): void {
  if (response.headersSent || response.destroyed) return
  // Any other type is a proxy's error page, not the mint's response.
  if (!String(headers['content-type'] ?? '').startsWith('application/json')) throw new Refusal('mint_failed')
  response.statusCode = status
  for (const name of passedAnswer) passHeader(response, name, headers[name])
  response.setHeader('content-length', body.length)
  response.end(body)
}
