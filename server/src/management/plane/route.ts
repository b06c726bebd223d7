// The declaration of a management route: who may call it, whose data it accesses, its request and its responses.
// Registration, authorisation, idempotency and the OpenAPI document all derive from this declaration.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { Permission } from '../../domain/access/permissions.ts'
import type { Refusal, RefusalCode } from '../../domain/errors.ts'
import type { Audited } from './acts/audit-facts.ts'
import type { Caller, Owned } from './caller.ts'

/** The credential that a route requires. With `optional-session` a missing or invalid session makes a public caller. */
export type Credential = 'none' | 'session' | 'optional-session' | 'admin-secret' | 'api-key'

/** The id of the path by which a tenant is found, the owner of what the path names. */
type TenantFinder = 'tenant' | 'project' | 'api-key'

/** A route of a tenant names the permission that its caller needs there: without one it does not compile. */
type Access =
  | { credential: 'session'; owner: TenantFinder; permission: Permission }
  /** The caller's own account needs no permission. A service account is no person with an account. */
  | { credential: 'session'; owner: 'caller'; permission: null; onlyForPeople: boolean }
  | { credential: Exclude<Credential, 'session'>; owner: 'none'; permission?: never }

export interface RouteInput<Body, Query> {
  caller: Caller
  /** The tenant and project that the path's ids belong to, checked against the caller's memberships. */
  owned: Owned
  params: Record<string, string>
  body: Body
  query: Query
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined
  clientAddress: string
  requestId: string
  /** The slug of the project whose host was called; null on the management host. */
  hostSlug: string | null
}

/** The raw request and response, for a streamed answer. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  onCutOff(callback: () => void): void
}

export interface Answer {
  status: number
  body?: unknown
  /** Replaces `body` if the route returns a stream: writes the whole response. */
  write?(exchange: Exchange): Promise<void>
  headers?: Record<string, string>
}

export type Route<Body = unknown, Query = unknown> = Access & Method & RouteFacts<Body, Query>

/** A route that writes says what the audit records of it, or it does not compile. Null if it changes nothing. */
type Method = { method: 'GET'; audit?: Audited } | { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; audit: Audited }

interface RouteFacts<Body, Query> {
  path: string
  /** Its operation id in the OpenAPI document and its name in generated clients, such as `deploySettings`. */
  operation: string
  summary: string
  /** The route exists only on the projects' hosts; all others exist only on the management host. */
  onProjectHost?: true
  /** Permissions that the caller needs besides the route's own. */
  alsoNeeds?: readonly Permission[]
  /** The operator's credentials may not use it, only ADMIN_SECRET and operators as people. */
  notForCredentials?: true
  /** The route is about accounts of people: no service account may use it. */
  onlyForPeople?: boolean
  /**
   * Whose sign-in must be recent: everyone's, or that of accounts that step up. Permissions that need one say so in
   * their table.
   */
  stepUp?: 'everyone' | 'with_factor'
  /** The route of an account is also for sessions that a tenant's single sign-on opened. */
  inTenantSession?: true
  /** Changes what a file of a project holds: while a file manages the project, the dashboard may not use it. */
  inFile?: true
  /** The path parameter by which any member may name their own id, regardless of permissions. */
  ownIdParam?: string
  body?: z.ZodType<Body>
  query?: z.ZodType<Query>
  /** Request headers that the handler reads, with their descriptions. */
  headers?: Record<string, string>
  /** The body of each success: null for none, `events`, `lines`, `table` for a stream. */
  answers: Record<number, z.ZodType | null | 'events' | 'lines' | 'table'>
  /** Errors in addition to those that derive from the other fields, such as `credential` and `body`. */
  refusals?: readonly RefusalCode[]
  /** No response, success or error, is sent sooner, so that its time does not reveal how long the work took. */
  minMs?: number
  /** If set, the route honours Idempotency-Key; responses with a `secret` are never replayed. */
  idempotency?: 'replay' | 'secret'
  /** For routes that browsers visit: where one is sent that would get an error. */
  landing?(error: Refusal): string
  handle(input: RouteInput<Body, Query>): Promise<Answer>
}

/** Checks the handler's types against the schemas of body and query, then erases them for the table of routes. */
export function route<Body, Query>(declaration: Route<Body, Query>): Route {
  return declaration as Route
}

/** `/auth/v1/tenants/:id/…` and `/auth/v1/projects/:id/…` have an alias without `/auth`. */
export function pathsOf(route: Route): string[] {
  const aliased = /^\/auth(\/v1\/(?:tenants|projects)\/.+)$/.exec(route.path)
  return aliased?.[1] === undefined ? [route.path] : [route.path, aliased[1]]
}

export function neededPermissions({ permission, alsoNeeds = [] }: Route): readonly Permission[] {
  return permission == null ? alsoNeeds : [permission, ...alsoNeeds]
}
