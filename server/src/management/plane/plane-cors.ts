// CORS of the management plane: the dashboard's origin is the only other origin that may read its responses.

import type { FastifyInstance } from 'fastify'
import { attemptsHeader, cacheHeader, modelHeader } from '../../call/inference-port.ts'
import { replyEmpty } from './plane-reply.ts'
import { writeHeader } from './session-cookie.ts'

const allowedHeaders = `authorization, content-type, idempotency-key, x-user-id, ${cacheHeader}, ${writeHeader}`
/** The last three say how a run in the playground was answered. */
const exposedHeaders = `x-request-id, retry-after, ${modelHeader}, ${attemptsHeader}, ${cacheHeader}`

export function answerCors(app: FastifyInstance, dashboardOrigin: string): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('vary', 'Origin')
    if (request.headers.origin !== dashboardOrigin) return
    reply.raw.setHeader('access-control-allow-origin', dashboardOrigin)
    // For a dashboard on another host of the same site, whose requests carry the session cookie.
    reply.raw.setHeader('access-control-allow-credentials', 'true')
    reply.raw.setHeader('access-control-expose-headers', exposedHeaders)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
    reply.raw.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
    reply.raw.setHeader('access-control-allow-headers', allowedHeaders)
    reply.raw.setHeader('access-control-max-age', '600')
    reply.hijack()
    replyEmpty(reply.raw, 204)
  })
}
