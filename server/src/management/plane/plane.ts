// The management plane: registers all declared routes with Fastify. Every request takes the same steps: credential,
// ownership, reading the body, checking query and body, handler. Independent of the single resources.

import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import { managementErrors } from '../../http/error-formats.ts'
import type { RuntimeRequestHandler } from '../../http/front/accept-request.ts'
import { getIncoming, type Incoming } from '../../http/incoming.ts'
import { replyError, replyJson } from '../../http/reply.ts'
import type { createActs } from './acts/perform-act.ts'
import type { createAuthorise } from './authorise.ts'
import type { Caller, Owned } from './caller.ts'
import { type Begun, endWhenRefused } from './end-when-refused.ts'
import type { createIdempotency } from './idempotency.ts'
import { acceptOnlyJson } from './plane-body.ts'
import { answerCors } from './plane-cors.ts'
import { replyEmpty } from './plane-reply.ts'
import { type Answer, pathsOf, type Route, type RouteInput } from './route.ts'
import { writeHeader } from './session-cookie.ts'

export interface PlaneDependencies {
  routes: readonly Route[]
  authorise: ReturnType<typeof createAuthorise>
  idempotency: ReturnType<typeof createIdempotency>
  acts: ReturnType<typeof createActs>
  dashboardOrigin: string
  log: Log
}

/** The result of authorisation, kept with the request until its handler runs. */
interface Authorisation {
  incoming: Incoming
  hostSlug: string | null
  caller: Caller
  owned: Owned | null
  foundAt: number
}

/** If the body takes longer, the caller is authorised again: they may have been removed or signed out meanwhile. */
const validForMs = 1_000

const authorisationOf = Symbol('authorisation')
/** The earliest time of the response, on the clock of `performance.now()`. */
const notBeforeOf = Symbol('not before')

declare module 'fastify' {
  interface FastifyRequest {
    [authorisationOf]?: Authorisation
    [notBeforeOf]?: number
  }
}

/** Routes have no schemas for Fastify. Its own compilers would take 3 MB of memory. */
const noCompilers = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas }

function refuseSchemas(): never {
  throw new Error('a route has a schema for Fastify, which has no compiler here')
}

export async function createManagementPlane(dependencies: PlaneDependencies): Promise<RuntimeRequestHandler> {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    // The listener limits the length of the whole path; each route reports invalid ids itself.
    routerOptions: { maxParamLength: 16_384 },
    schemaController: { compilersFactory: noCompilers },
    frameworkErrors: (error, request, reply) => sendError(request, reply, fromFastify(error), dependencies.log),
  })
  acceptOnlyJson(app)
  answerCors(app, dependencies.dashboardOrigin)
  app.setErrorHandler(async (error, request, reply) => {
    await waitForFloor(request)
    return sendError(request, reply, fromFastify(error), dependencies.log)
  })
  refuseUnknownRoutes(app)
  for (const route of dependencies.routes) {
    for (const url of pathsOf(route)) register(app, dependencies, route, url)
  }
  refuseOtherMethods(app, dependencies.routes)
  await app.ready()
  return (request, response) => app.routing(request, response)
}

function register(app: FastifyInstance, dependencies: PlaneDependencies, route: Route, url: string): void {
  app.route({
    method: methodsOf(route),
    url,
    onRequest: async request => {
      request[notBeforeOf] = performance.now() + (route.minMs ?? 0)
      const incoming = getIncoming(request.raw)
      incoming.logContext.route = url
      const hostSlug = incoming.host.kind === 'project' ? incoming.host.slug : null
      if ((hostSlug !== null) !== (route.onProjectHost ?? false)) throw new Refusal('not_found')
      request[authorisationOf] = await findAuthorisation(dependencies, route, request, incoming, hostSlug)
    },
    handler: async (request, reply) => {
      let authorisation = request[authorisationOf]
      if (authorisation === undefined) throw new Error('a route ran without authorisation')
      if (performance.now() - authorisation.foundAt > validForMs) {
        authorisation = await findAuthorisation(
          dependencies,
          route,
          request,
          authorisation.incoming,
          authorisation.hostSlug,
        )
      }
      const answer = await answerRoute(dependencies, route, request, toInput(route, request, authorisation))
      await waitForFloor(request)
      const { incoming, hostSlug, owned } = authorisation
      const authoriseAgain = () => findAuthorisation(dependencies, route, request, incoming, hostSlug)
      return sendAnswer(request, reply, route, answer, { log: dependencies.log, owned, authoriseAgain })
    },
  })
}

async function answerRoute(
  { acts, idempotency }: PlaneDependencies,
  route: Route,
  request: FastifyRequest,
  input: RouteInput<unknown, unknown>,
): Promise<Answer> {
  const work = () => route.handle(input)
  const perform = () => (isAct(route, request) ? acts.perform(route, input, work) : work())
  try {
    return await idempotency.run(route, input, perform)
  } catch (error) {
    if (!(error instanceof Refusal) || route.landing === undefined) throw error
    return { status: 302, headers: { location: route.landing(error) } }
  }
}

/** HEAD runs the same handler as GET; the runtime's response leaves out the body. */
function methodsOf({ method }: Route): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** HEAD shows nothing of what a read would, so the audit has nothing to say of it. */
const isAct = ({ audit }: Route, { method }: FastifyRequest): boolean => method !== 'HEAD' || audit?.reads === undefined

async function findAuthorisation(
  { authorise, acts }: PlaneDependencies,
  route: Route,
  request: FastifyRequest,
  incoming: Incoming,
  hostSlug: string | null,
): Promise<Authorisation> {
  const foundAt = performance.now()
  const caller = await authorise.credential(route, {
    authorization: request.headers.authorization,
    cookie: singleHeader(request, 'cookie'),
    writeHeader: singleHeader(request, writeHeader),
    adminSecret: singleHeader(request, 'x-admin-secret'),
    hostSlug,
  })
  const params = request.params as Record<string, string>
  const owned = await authorise.ownership(route, caller, params).catch(async (error: unknown) => {
    const doer = { caller, owned: null, params, ...describeRequest(request, incoming) }
    if (isAct(route, request)) await acts.refuse(route, doer, error)
    throw error
  })
  noteAccount(incoming, caller, owned)
  return { incoming, hostSlug, caller, owned, foundAt }
}

/** Runs before the body is read: an unknown route is reported before errors in the body. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    if (request.is404) throw new Refusal('not_found')
  })
}

function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const known = new Map<string, string[]>()
  for (const route of routes) {
    for (const url of pathsOf(route)) known.set(url, [...(known.get(url) ?? []), ...methodsOf(route)])
  }
  for (const [url, methods] of known) {
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'].filter(method => !methods.includes(method))
    const refuse = async () => {
      throw new Refusal('method_not_allowed', { headers: { allow: methods.join(', ') } })
    }
    app.route({ method: others, url, onRequest: refuse, handler: refuse })
  }
}

function toInput(route: Route, request: FastifyRequest, authorisation: Authorisation): RouteInput<unknown, unknown> {
  return {
    caller: authorisation.caller,
    // Null only for routes declared without an owner, whose handlers never read it.
    owned: authorisation.owned as Owned,
    params: request.params as Record<string, string>,
    query: route.query === undefined ? {} : parse(route.query, request.query),
    body: route.body === undefined ? undefined : parseBody(route.body, request.body ?? {}),
    ...describeRequest(request, authorisation.incoming),
    hostSlug: authorisation.hostSlug,
  }
}

function describeRequest(request: FastifyRequest, { clientAddress, id }: Incoming) {
  return { header: (name: string) => singleHeader(request, name), clientAddress, requestId: id }
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

/** Holds nothing but the request while it waits. Loops because timers may fire slightly early. */
async function waitForFloor(request: FastifyRequest): Promise<void> {
  const notBefore = request[notBeforeOf] ?? 0
  for (let left = notBefore - performance.now(); left > 0; left = notBefore - performance.now()) await sleep(left)
}

function noteAccount({ logContext }: Incoming, caller: Caller, owned: Owned | null): void {
  const tenantId = owned?.tenant.id ?? caller.apiKey?.tenantId
  const projectId = owned?.project.id || caller.apiKey?.projectId
  if (tenantId !== undefined) logContext.tenantId = tenantId
  if (projectId !== undefined) logContext.projectId = projectId
}

/** Bypasses Fastify's serialisation: all planes write their responses with the same functions. */
function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  answer: Answer,
  begun: Begun,
): FastifyReply | Promise<FastifyReply> {
  const schema = route.answers[answer.status]
  if (schema === undefined) throw new Error(`${route.method} ${route.path} answered an undeclared ${answer.status}`)
  if (schema === 'events' || schema === 'lines' || schema === 'table') return sendStream(request, reply, answer, begun)
  // Only documented fields are sent: parsing drops fields that the schema does not list.
  const body: unknown = schema?.parse(answer.body)
  reply.hijack()
  if (schema === null) replyEmpty(reply.raw, answer.status, answer.headers)
  else replyJson(reply.raw, answer.status, body, answer.headers)
  return reply
}

async function sendStream(request: FastifyRequest, reply: FastifyReply, answer: Answer, begun: Begun) {
  const { onCutOff } = getIncoming(request.raw)
  reply.hijack()
  const stopChecking = endWhenRefused(reply.raw, begun)
  try {
    await answer.write?.({ request: request.raw, response: reply.raw, onCutOff })
  } catch (error) {
    sendError(request, reply, error, begun.log)
  } finally {
    stopChecking()
  }
  return reply
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, log: Log): FastifyReply {
  reply.hijack()
  replyError(reply.raw, error, { format: managementErrors, log, requestId: getIncoming(request.raw).id })
  return reply
}

/** Maps Fastify's own errors to the error table. */
function fromFastify(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type', { cause: error })
  return statusCode === 400 ? new Refusal('bad_request', { cause: error }) : error
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
