// What a management route declares about itself: who may call it, whose things it touches, what it takes and answers.
// Registration, authorisation, idempotency and the OpenAPI document are all read from this one declaration.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { RefusalCode } from '../../domain/errors.ts'
import type { Caller, Owned, Role } from './caller.ts'

/** Which credential opens the route. */
export type Credential = 'none' | 'session' | 'admin-secret' | 'api-key'

/** Whose things the path names: the caller's own, or those of a tenant found through one of the path's ids. */
export type Ownership = 'none' | 'caller' | 'tenant' | 'project' | 'api-key'

export interface RouteInput<Body, Query> {
  caller: Caller
  /** What the path's ids lead to, checked against the caller's memberships. */
  owned: Owned
  params: Record<string, string>
  body: Body
  query: Query
  /** One header by its lower-case name. */
  header(name: string): string | undefined
  clientAddress: string
  requestId: string
  /** The project whose host was called, where it was a project's. */
  hostSlug: string | null
}

/** The raw exchange, for an answer that is written while it comes. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  onCutOff(callback: () => void): void
}

export interface Answer {
  status: number
  body?: unknown
  /** Instead of a body where the route answers with a page. */
  html?: string
  /** Instead of a body where the route answers with a stream: writes the whole response. */
  write?(exchange: Exchange): Promise<void>
  headers?: Record<string, string>
  /** Left out: what the route's `idempotency` says of all its answers. */
  holdsSecret?: boolean
}

export interface Route<Body = unknown, Query = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** What generated clients call it, and what the OpenAPI document does: `deploySettings`. */
  operation: string
  summary: string
  credential: Credential
  owner: Ownership
  /** Known on the projects' hosts alone; every other route on the management host alone. */
  onProjectHost?: true
  /** The least role a member needs. Left out: reads need `viewer`, writes `member`. */
  role?: Role
  /** The parameter of the path by which any member may name themselves, whatever role the route needs for others. */
  ownIdParam?: string
  body?: z.ZodType<Body>
  query?: z.ZodType<Query>
  /** Request headers that the use-case reads, and what they mean. */
  headers?: Record<string, string>
  /** The body of each good answer; null for none, `html` for a page, `events` for a stream, `lines` for one of documents. */
  answers: Record<number, z.ZodType | null | 'html' | 'events' | 'lines'>
  /** Refusals beyond those that every route of its credential can give. */
  refusals?: readonly RefusalCode[]
  /** No answer, good or bad, comes sooner: how long the work took tells nothing. */
  minMs?: number
  /** POSTs that create honour Idempotency-Key; `secret` answers are never replayed. */
  idempotency?: 'replay' | 'secret'
  handle(input: RouteInput<Body, Query>): Promise<Answer>
}

/** Keeps the types of body and query tied to their schemas, and forgets them for the table. */
export function route<Body, Query>(declaration: Route<Body, Query>): Route {
  return declaration as Route
}

/** `/auth/v1/tenants/:id/…` and `/auth/v1/projects/:id/…` are also known without their first segment. */
export function pathsOf(route: Route): string[] {
  const aliased = /^\/auth(\/v1\/(?:tenants|projects)\/.+)$/.exec(route.path)
  return aliased?.[1] === undefined ? [route.path] : [route.path, aliased[1]]
}

export function neededRole(route: Route): Role {
  return route.role ?? (route.method === 'GET' ? 'viewer' : 'member')
}
