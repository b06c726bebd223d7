// Reads request bodies of the management plane: only JSON, before the handler runs.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import { maxNames, readBytes } from '../../http/read-body.ts'

/** The listener's timeout of a whole request is not longer. */
const limits = { maxBytes: 1_048_576, timeoutMs: 60_000 }

/** An empty body counts as no body, because many clients send the content type without one. */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const bytes = await readWhole(request)
    if (bytes.length === 0) return undefined
    if (isPacked(request)) {
      throw new Refusal('unsupported_media_type', { message: 'Content-Encoding is not supported' })
    }
    return parseJsonBody(bytes)
  })
  // Any other type is accepted only without a body.
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const bytes = await readWhole(request)
    if (bytes.length > 0) throw new Refusal('unsupported_media_type')
  })
}

/** Used instead of Fastify's reader, which keeps each chunk of a body in memory. */
async function readWhole({ raw }: FastifyRequest): Promise<Buffer> {
  return await readBytes(raw, limits)
}

function isPacked({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJsonBody(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    checkDepth(value, 64)
    return value
  } catch (cause) {
    throw new Refusal('invalid_json', { cause })
  }
}

/** Limits the depth, and the names of an object. */
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw new Refusal('invalid_json')
  const inner = Object.values(value)
  if (!Array.isArray(value) && inner.length > maxNames) throw new Refusal('invalid_json')
  for (const one of inner) checkDepth(one, depth - 1)
}
