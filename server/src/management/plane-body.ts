// How bodies of the management plane are read: JSON alone, before any use-case. Knows no route.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../domain/errors.ts'

/** One parser for JSON; an empty body is no body, as many clients send the content type with nothing behind it. */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    if (isPacked(request))
      return done(new Refusal('unsupported_media_type', { message: 'Content-Encoding is not supported' }))
    try {
      done(null, parseJsonBody(bytes))
    } catch (cause) {
      done(new Refusal('invalid_json', { cause }))
    }
  })
  // Any other type is accepted where no body came; sent ones are refused.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(new Refusal('unsupported_media_type'))
  })
}

function isPacked({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJsonBody(bytes: Buffer): unknown {
  const value: unknown = JSON.parse(utf8.decode(bytes))
  checkDepth(value, 64)
  return value
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw new Refusal('invalid_json')
  for (const inner of Object.values(value)) checkDepth(inner, depth - 1)
}
