// Builds the OpenAPI 3.1 document from the same declarations that the plane registers as routes. Error responses come
// from the refusals that each route declares.

import { z } from 'zod'
import type { ErrorResponse } from '../../../../sdk/src/wire.ts'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import { managementErrors } from '../../http/error-formats.ts'
import type { Content, OpenApiDocument, Operation, Parameter, Response, Schema } from '../../http/openapi-types.ts'
import { describePermission, describeSecurity, isOpen, refusalsOfCaller, securitySchemes } from './openapi-security.ts'
import { pathsOf, type Route } from './route.ts'

export interface Addresses {
  baseUrl: string
  publicDomain: string
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string' },
    code: { type: 'string' },
    retryable: { type: 'boolean', description: 'True if a retry of the same request may succeed' },
    upgrade_url: { type: 'string' },
    challenge: { type: 'string', description: 'With the code `second_factor_required`: goes on with the sign-in' },
    methods: { type: 'array', items: { type: 'string', enum: ['passkey', 'totp', 'backup_code'] } },
  } satisfies Record<keyof ErrorResponse, object>,
}
/** Errors of ambiguous and malformed requests, which are rejected before a route is looked up. */
const listenerRefusals = ['bad_request', 'malformed_target'] as const
const unauthorizedHeaders = {
  'WWW-Authenticate': { description: 'The scheme of the credential', schema: { type: 'string', const: 'Bearer' } },
}
const errorReference = { $ref: '#/components/schemas/Error' }

const credentialRefusals: Record<Route['credential'], RefusalCode[]> = {
  none: [],
  session: ['bearer_required', 'invalid_session', 'service_account_expired', 'session_issuer_unavailable'],
  'optional-session': ['session_issuer_unavailable'],
  'api-key': ['bearer_required', 'invalid_key_shape', 'invalid_key', 'key_revoked', 'key_expired', 'mint_suspended'],
  'admin-secret': ['invalid_admin_secret', 'reauthenticate'],
}
const ownershipRefusals: Record<Route['owner'], RefusalCode[]> = {
  none: [],
  caller: [],
  tenant: ['tenant_not_found', 'forbidden', 'sso_required'],
  project: ['project_not_found', 'forbidden', 'sso_required'],
  'api-key': ['not_found', 'forbidden', 'sso_required'],
}
const bodyRefusals = [
  'invalid_json',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_bodies',
] as const
const idempotencyRefusals = [
  'idempotency_key_invalid',
  'idempotency_running',
  'idempotency_secret',
  'idempotency_mismatch',
] as const

export function describeRoutes(routes: readonly Route[], addresses: Addresses): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const declared of routes) {
    for (const path of pathsOf(declared)) {
      const key = toTemplate(path)
      const methods = paths[key] ?? {}
      paths[key] = methods
      methods[declared.method.toLowerCase()] = describeRoute(declared, path, addresses)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport management API',
      version: '1',
      description:
        'Tenants, projects, keys, settings and tokens of the gateway. All errors have the same format. ' +
        'HEAD works wherever GET does, with the same status and headers and no body, here and on project hosts.',
    },
    servers: [{ url: addresses.baseUrl }],
    tags: [...new Set(routes.map(declared => tagOf(declared.path)))].map(name => ({ name })),
    components: { securitySchemes, schemas: { Error: errorSchema } },
    paths,
  }
}

function describeRoute(declared: Route, path: string, addresses: Addresses): Operation {
  const isAlias = path !== declared.path
  return {
    // Operation ids are unique; generated clients leave aliases out.
    operationId: isAlias ? `${declared.operation}Alias` : declared.operation,
    summary: isAlias ? `${declared.summary} (alias of the same route)` : declared.summary,
    tags: [tagOf(declared.path)],
    ...describePermission(declared),
    ...(declared.onProjectHost ? { servers: projectServers(addresses) } : {}),
    ...(isOpen(declared) ? {} : { security: describeSecurity(declared) }),
    parameters: describeParameters(declared, path),
    ...(declared.body === undefined ? {} : { requestBody: describeBody(declared.body) }),
    responses: { ...describeAnswers(declared), ...describeRefusals(declared) },
    ...(isAlias ? { 'x-alias-of': toTemplate(declared.path) } : {}),
  }
}

/** A project's own host, and its path form for machines without wildcard DNS. */
export function projectServers({ baseUrl, publicDomain }: Addresses) {
  const { protocol, port } = new URL(baseUrl)
  const host = `{slug}.${publicDomain}${port === '' ? '' : `:${port}`}`
  const variables = { slug: { default: 'amber-falcon-4821', description: 'The slug of the project' } }
  return [`${protocol}//${host}`, `${baseUrl}/p/{slug}`].map(url => ({ url, variables }))
}

function describeBody(body: z.ZodType) {
  const schema = toJsonSchema(body, 'input')
  const required = schema['required']
  return {
    required: Array.isArray(required) && required.length > 0,
    content: { 'application/json': { schema } },
  }
}

function describeParameters(declared: Route, path: string): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: name.endsWith('Id') || name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }))
  const schema = declared.query === undefined ? {} : toJsonSchema(declared.query, 'input')
  const inQuery = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, of]) => ({
    name,
    in: 'query' as const,
    required: false,
    schema: of,
  }))
  const headers = Object.entries(declared.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: false,
    description,
    schema: { type: 'string' },
  }))
  return [...inPath, ...inQuery, ...headers, ...(declared.idempotency === undefined ? [] : [idempotencyKey])]
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'For 24 hours, the same key and body return the same response',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const redirectAnswer: Response = {
  description: 'The browser goes on elsewhere',
  headers: { Location: { description: 'Where', required: true, schema: { type: 'string', format: 'uri-reference' } } },
}

function describeAnswers(declared: Route): Record<string, Response> {
  const answers: Record<string, Response> = {}
  const text = { schema: { type: 'string' } }
  for (const [status, schema] of Object.entries(declared.answers)) {
    if (status === '302') answers[status] = redirectAnswer
    else if (schema === null) answers[status] = { description: 'No body' }
    else if (schema === 'events') {
      const content = { 'text/event-stream': text }
      answers[status] = { description: 'A stream of server-sent events that ends with `[DONE]`', content }
    } else if (schema === 'lines') {
      const content = { 'application/x-ndjson': text }
      answers[status] = { description: 'A stream of JSON documents, one a line', content }
    } else if (schema === 'table') {
      const content = { 'text/csv': text, 'application/x-ndjson': text }
      answers[status] = { description: 'A stream of rows: CSV with a header, or JSON documents, one a line', content }
    } else {
      const content = { 'application/json': { schema: toJsonSchema(schema, 'output') } }
      answers[status] = { description: 'Success', content }
    }
  }
  return answers
}

function describeRefusals(declared: Route): Record<string, Response> {
  const codes = new Set<RefusalCode>([
    ...listenerRefusals,
    ...credentialRefusals[declared.credential],
    ...ownershipRefusals[declared.owner],
    ...(declared.inFile ? (['managed_by_file'] as const) : []),
    ...(declared.permission == null ? [] : (['permission_missing', 'second_factor_missing'] as const)),
    ...refusalsOfCaller(declared),
    ...(declared.body === undefined ? [] : bodyRefusals),
    ...(declared.query === undefined ? [] : (['validation_failed'] as const)),
    ...(declared.idempotency === undefined ? [] : idempotencyRefusals),
    ...(declared.refusals ?? []),
    ...(declared.credential === 'none' && declared.body === undefined ? [] : (['database_unavailable'] as const)),
  ])
  const byStatus = Map.groupBy(codes, code => new Refusal(code).row.status)
  const described = [...byStatus].sort(([a], [b]) => a - b)
  return {
    ...Object.fromEntries(
      described.map(([status, ofStatus]) => [
        status,
        {
          description: [...new Set(ofStatus.map(wordsOf))].join('; '),
          ...(status === 401 ? { headers: unauthorizedHeaders } : {}),
          content: { 'application/json': { schema: errorReference, examples: showErrors(ofStatus) } },
        },
      ]),
    ),
    default: { description: 'Any other error', content: { 'application/json': { schema: errorReference } } },
  }
}

function showErrors(codes: readonly RefusalCode[]): NonNullable<Content[string]['examples']> {
  return Object.fromEntries(codes.map(code => [code, { value: managementErrors.errorBody(new Refusal(code), '') }]))
}

export function wordsOf(code: RefusalCode): string {
  // Its message depends on the invalid field.
  if (code === 'validation_failed') return 'Describes the error in the first invalid field'
  const { row } = new Refusal(code)
  return row.code === undefined ? row.message : `${row.message} (code ${row.code})`
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  // Inlined, because references would point to the root of the OpenAPI document.
  const options = { io, unrepresentable: 'any', target: 'draft-2020-12', reused: 'inline' } as const
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options)
  return rest
}

export function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

const notResources = /^(:.*|auth|v1|\.well-known|)$/

function tagOf(path: string): string {
  const [first = '', second] = path.split('/').filter(word => !notResources.test(word))
  const isNested = (first === 'tenants' || first === 'projects' || first === 'admin') && second !== undefined
  return (isNested ? second : first).replace(/\.json$/, '')
}
