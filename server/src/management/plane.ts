// The management plane: Fastify routes made from the table of declarations, one way in for all of them.
// Order of every request: credential, ownership, body, query, the use-case. Knows no resource by name.

import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { RuntimePlane } from '../http/accept-request.ts'
import { getIncoming, type Incoming } from '../http/incoming.ts'
import { replyError, replyJson } from '../http/reply.ts'
import type { createAuthorise } from './authorise.ts'
import type { Caller, Owned } from './caller.ts'
import type { createIdempotency } from './idempotency.ts'
import { type Answer, pathsOf, type Route, type RouteInput } from './route.ts'

const managementBodyLimitBytes = 1_048_576

export interface PlaneParts {
  routes: readonly Route[]
  authorise: ReturnType<typeof createAuthorise>
  idempotency: ReturnType<typeof createIdempotency>
  dashboardOrigin: string
  log: Log
}

/** What authorisation found, kept beside the request until its use-case runs. */
interface Standing {
  incoming: Incoming
  hostSlug: string | null
  caller: Caller
  owned: Owned | null
}

const standingOf = Symbol('standing')
/** Before which moment, on the process's own clock, the request may not be answered. */
const notBeforeOf = Symbol('not before')

declare module 'fastify' {
  interface FastifyRequest {
    [standingOf]?: Standing
    [notBeforeOf]?: number
  }
}

export async function createManagementPlane(parts: PlaneParts): Promise<RuntimePlane> {
  const app = Fastify({
    logger: false,
    bodyLimit: managementBodyLimitBytes,
    exposeHeadRoutes: false,
    // The listener bounds the whole path; ids that are none are told so by the route.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => sendError(request, reply, fromFastify(error), parts.log),
  })
  acceptOnlyJson(app)
  answerCors(app, parts.dashboardOrigin)
  app.setErrorHandler(async (error, request, reply) => {
    await waitForFloor(request)
    return sendError(request, reply, fromFastify(error), parts.log)
  })
  refuseUnknownRoutes(app)
  for (const route of parts.routes) {
    for (const url of pathsOf(route)) register(app, parts, route, url)
  }
  refuseOtherMethods(app, parts.routes)
  await app.ready()
  return (request, response) => app.routing(request, response)
}

function register(app: FastifyInstance, parts: PlaneParts, route: Route, url: string): void {
  app.route({
    method: route.method,
    url,
    onRequest: async request => {
      request[notBeforeOf] = performance.now() + (route.leastMs ?? 0)
      const incoming = getIncoming(request.raw)
      incoming.account.route = url
      const hostSlug = incoming.host.kind === 'project' ? incoming.host.slug : null
      if ((hostSlug !== null) !== (route.onProjectHost ?? false)) throw new Refusal('not_found')
      const caller = await parts.authorise.credential(route, {
        authorization: request.headers.authorization,
        adminSecret: singleHeader(request, 'x-admin-secret'),
        hostSlug,
      })
      const owned = await parts.authorise.ownership(route, caller, request.params as Record<string, string>)
      noteAccount(incoming, caller, owned)
      request[standingOf] = { incoming, hostSlug, caller, owned }
    },
    handler: async (request, reply) => {
      const standing = request[standingOf]
      if (standing === undefined) throw new Error('a route ran without authorisation')
      const input = toInput(route, request, standing)
      const answer = await parts.idempotency.run(route, input, () => route.handle(input))
      await waitForFloor(request)
      return sendAnswer(request, reply, route, answer, parts.log)
    },
  })
}

/** Before a body is read: what is wrong with it says nothing where there is no route. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    if (request.is404) throw new Refusal('not_found')
  })
}

function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const known = new Map<string, string[]>()
  for (const route of routes) {
    for (const url of pathsOf(route)) known.set(url, [...(known.get(url) ?? []), route.method])
  }
  for (const [url, methods] of known) {
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'].filter(method => !methods.includes(method))
    const refuse = async () => {
      throw new Refusal('method_not_allowed', { headers: { allow: methods.join(', ') } })
    }
    app.route({ method: others, url, onRequest: refuse, handler: refuse })
  }
}

function toInput(route: Route, request: FastifyRequest, standing: Standing): RouteInput<unknown, unknown> {
  return {
    caller: standing.caller,
    // Routes that own nothing never read it; the declaration decides, not the use-case.
    owned: standing.owned as Owned,
    params: request.params as Record<string, string>,
    query: route.query === undefined ? {} : parse(route.query, request.query),
    body: route.body === undefined ? undefined : parseBody(route.body, request.body ?? {}),
    header: name => singleHeader(request, name),
    clientAddress: standing.incoming.clientAddress,
    requestId: standing.incoming.id,
    hostSlug: standing.hostSlug,
  }
}

function parseBody(schema: NonNullable<Route['body']>, value: unknown): unknown {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Refusal('validation_failed', { message: 'Request body must be a JSON object' })
  }
  return parse(schema, value)
}

function parse(schema: NonNullable<Route['body']>, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new Refusal('validation_failed', { message: result.error.issues[0]?.message ?? 'Validation failed' })
}

/** Nothing is held meanwhile but the request itself. Timers may fire a moment early, hence the loop. */
async function waitForFloor(request: FastifyRequest): Promise<void> {
  const notBefore = request[notBeforeOf] ?? 0
  for (let left = notBefore - performance.now(); left > 0; left = notBefore - performance.now()) await sleep(left)
}

function noteAccount({ account }: Incoming, caller: Caller, owned: Owned | null): void {
  const tenantId = owned?.tenant.id ?? caller.apiKey?.tenantId
  const projectId = owned?.project.id || caller.apiKey?.projectId
  if (tenantId !== undefined) account.tenantId = tenantId
  if (projectId !== undefined) account.projectId = projectId
}

/** Answers are written by the one renderer of all planes, past Fastify's own serialisation. */
function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  answer: Answer,
  log: Log,
): FastifyReply | Promise<FastifyReply> {
  const schema = route.answers[answer.status]
  if (schema === undefined) throw new Error(`${route.method} ${route.path} answered an undeclared ${answer.status}`)
  if (schema === 'events') return sendEvents(request, reply, answer, log)
  // What is documented is what is sent: fields that the schema does not know stay inside.
  const body: unknown = schema === 'html' ? answer.html : schema?.parse(answer.body)
  reply.hijack()
  if (schema === null) replyEmpty(reply.raw, answer.status)
  else if (schema === 'html') replyHtml(reply.raw, answer.status, String(body), answer.headers)
  else replyJson(reply.raw, answer.status, body, answer.headers)
  return reply
}

async function sendEvents(request: FastifyRequest, reply: FastifyReply, answer: Answer, log: Log) {
  const { onCutOff } = getIncoming(request.raw)
  reply.hijack()
  try {
    await answer.write?.({ request: request.raw, response: reply.raw, onCutOff })
  } catch (error) {
    sendError(request, reply, error, log)
  }
  return reply
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, log: Log): FastifyReply {
  reply.hijack()
  replyError(reply.raw, error, { surface: 'management', log, requestId: getIncoming(request.raw).id })
  return reply
}

/** Fastify's own faults in the words of the error table. */
function fromFastify(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('payload_too_large', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type', { cause: error })
  return statusCode === 400 ? new Refusal('bad_request', { cause: error }) : error
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** One parser for JSON; an empty body is no body, as many clients send the content type with nothing behind it. */
function acceptOnlyJson(app: FastifyInstance): void {
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

/** Management answers cross-origin requests of the dashboard alone. */
function answerCors(app: FastifyInstance, dashboardOrigin: string): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('vary', 'Origin')
    if (request.headers.origin !== dashboardOrigin) return
    reply.raw.setHeader('access-control-allow-origin', dashboardOrigin)
    reply.raw.setHeader('access-control-expose-headers', 'x-request-id, retry-after')
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
    reply.raw.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE')
    reply.raw.setHeader('access-control-allow-headers', 'authorization, content-type, idempotency-key, x-user-id')
    reply.raw.setHeader('access-control-max-age', '600')
    reply.hijack()
    replyEmpty(reply.raw, 204)
  })
}

function replyEmpty(response: ServerResponse, status: number): void {
  response.statusCode = status
  response.setHeader('cache-control', 'no-store')
  response.end()
}

function replyHtml(response: ServerResponse, status: number, html: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(html),
    ...headers,
  })
  response.end(html)
}
