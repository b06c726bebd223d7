// CORS by the deployed settings: which origins may read a response, and what a preflight allows. An origin that is not
// on the list gets no CORS header at all.

import { attemptsHeader, cacheHeader, modelHeader } from '../call/inference-port.ts'
import { isOriginAllowed, wildcardOrigin } from '../domain/settings/cors-origin.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import { allowedMethods, findRoutes } from './routes.ts'

type Origins = Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>

const exposedHeaders = [
  'x-request-id',
  // The same, as Anthropic's client reads it.
  'request-id',
  cacheHeader,
  'Retry-After',
  'x-should-retry',
  'x-sallyport-estimate',
  ...['limit', 'remaining', 'reset'].flatMap(what => ['requests', 'tokens'].map(unit => `x-ratelimit-${what}-${unit}`)),
  modelHeader,
  attemptsHeader,
].join(', ')

/** The headers that the official clients send from browsers. Firefox, unlike Chromium, asks for `user-agent`. */
const namedHeaders = [
  ...['authorization', 'content-type', 'accept', 'user-agent', 'idempotency-key'],
  ...['x-session-id', 'x-thread-id', 'x-user-id'],
  ...['openai-organization', 'openai-project', 'openai-beta'],
  ...['x-api-key', 'anthropic-version', 'anthropic-beta', 'anthropic-dangerous-direct-browser-access'],
]
/** Listed even if a preflight does not ask for them, so that one preflight also covers the client's next request. */
const stainlessHeaders = [
  ...['arch', 'async', 'custom-poll-interval', 'helper-method', 'lang', 'os', 'package-version', 'poll-helper'],
  ...['raw-response', 'read-timeout', 'retry-count', 'runtime', 'runtime-version', 'stream-helper', 'timeout'],
].map(name => `x-stainless-${name}`)
const allowedHeaders = [...namedHeaders, ...stainlessHeaders]
const allowedText = allowedHeaders.join(', ')
/** Headers with these prefixes are allowed if a preflight asks for them. No internal header may have such a prefix. */
const openFamily = /^x-(?:stainless|sallyport)-[a-z0-9-]{1,40}$/
const maxAsked = 40

/**
 * Sets the CORS headers of the response to a request with an origin; returns whether the origin may read it. Responses
 * without an origin vary by it, too: the caller sets that header.
 */
export function applyCors(response: PlaneResponse, origin: string, settings: Origins): boolean {
  const { cors_origins: origins, cors_allow_credentials: withCredentials } = settings
  if (!isOriginAllowed(origins, origin)) return false
  const isForAll = !withCredentials && origins.includes(wildcardOrigin)
  response.setHeader('access-control-allow-origin', isForAll ? wildcardOrigin : origin)
  if (withCredentials) response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-expose-headers', exposedHeaders)
  return true
}

export function isPreflight({ method, headers }: PlaneRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

export function answerPreflight(request: PlaneRequest, response: PlaneResponse, isAllowed: boolean): void {
  response.statusCode = 204
  if (isAllowed) {
    response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, DELETE')
    response.setHeader('access-control-allow-headers', listAllowed(request.headers['access-control-request-headers']))
    response.setHeader('access-control-max-age', '600')
  }
  response.end()
}

function listAllowed(asked: string | undefined): string {
  if (asked === undefined) return allowedText
  const names = asked.toLowerCase().split(',', maxAsked)
  const further = names.map(name => name.trim()).filter(name => openFamily.test(name) && !allowedHeaders.includes(name))
  return further.length === 0 ? allowedText : `${allowedText}, ${[...new Set(further)].join(', ')}`
}

export function answerOptions(response: PlaneResponse, path: string): void {
  response.statusCode = 204
  response.setHeader('allow', allowedMethods(findRoutes(path)))
  response.end()
}
