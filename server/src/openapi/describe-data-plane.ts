// The OpenAPI document of the data plane: of what each project's host serves. Made from the gateway's table of routes,
// the surfaces' own descriptions and the table of errors; the mint is taken from the management API's document.

import { conversationIdForm } from '../domain/conversation/conversation-id.ts'
import { Refusal } from '../domain/errors.ts'
import { type GatewayRoute, routes } from '../gateway/routes.ts'
import type { OpenApiDocument, Operation, Parameter, Response, Schema } from '../http/openapi-types.ts'
import { bodyReaders } from '../http/read-body.ts'
import { type Addresses, projectServers, toTemplate } from '../management/plane/openapi-document.ts'
import type { DescribedBody, Endpoint, Surface } from '../surfaces/surface.ts'
import {
  completionErrors,
  describeErrors,
  everyRoute,
  gatewayErrorSchema,
  sampleRequestId,
  streamErrors,
} from './errors.ts'
import { answerHeadersOf, headersOf } from './headers.ts'
import { listSchemas } from './list-schemas.ts'
import { describeMint } from './mint.ts'
import { type ReadOperation, readOperations, usageSchemas } from './operations.ts'

const conversationId = { type: 'string', pattern: conversationIdForm.source }
const conversationHeaders: Parameter[] = [
  {
    name: 'X-Session-Id',
    in: 'header',
    required: false,
    description: 'Continues a conversation that is kept for 24 hours after its last use: send new messages only',
    schema: conversationId,
  },
  {
    name: 'X-Thread-Id',
    in: 'header',
    required: false,
    description: 'The same, kept in the database and listed under `/v1/threads`; takes precedence over X-Session-Id',
    schema: conversationId,
  },
]
const cacheWish: Parameter = {
  name: 'X-Sallyport-Cache',
  in: 'header',
  required: false,
  description:
    '`use`: the project’s cache of answers may answer; `no`: it may not. By default it may if the temperature is 0. ' +
    'Ignored by projects without a cache',
  schema: { type: 'string', enum: ['use', 'no'] },
}

const description =
  'What a project’s host serves to browsers, mobile apps and servers. The credential is a short-lived token, never an ' +
  'API key. HEAD works wherever GET does. Preflights are answered with 204; responses to the project’s allowed origins ' +
  'have `Access-Control-Allow-Origin` and expose the headers that are described here. Errors from before the request is ' +
  'answered have the gateway’s format (`GatewayError`), later ones the format of the route; mints have the management ' +
  'API’s (`Error`).'

export function describeDataPlane(management: OpenApiDocument, addresses: Addresses): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = { ...describeMint(management) }
  for (const route of routes) {
    const path = toTemplate(route.pattern)
    const methods = paths[path] ?? {}
    paths[path] = methods
    methods[route.method.toLowerCase()] = describeRoute(route)
  }
  const tags = Object.values(paths).flatMap(methods => Object.values(methods).flatMap(operation => operation.tags))
  return {
    openapi: '3.1.0',
    info: { title: 'Sallyport data plane API', version: '1', description },
    servers: projectServers(addresses),
    tags: [...new Set(tags)].sort().map(name => ({ name })),
    components: { securitySchemes: describeCredentials(management, addresses), schemas: collectSchemas(management) },
    paths,
  }
}

function describeCredentials({ components }: OpenApiDocument, { baseUrl }: Addresses): Record<string, Schema> {
  const apiKey = components.securitySchemes['api-key']
  if (apiKey === undefined) throw new Error('the management document has no credential for mints')
  return {
    token: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A token of one end user: minted (`POST /v1/auth/mint` or `/v1/auth/anonymous`; its key set is at ' +
        `${baseUrl}/.well-known/jwks.json), or from the project’s own identity provider`,
    },
    'api-key': apiKey,
  }
}

function collectSchemas({ components }: OpenApiDocument): Record<string, Schema> {
  const ofSurfaces = routes.flatMap(({ endpoint }) => endpoint?.description.schemas ?? [])
  const { Error: managementError = {} } = components.schemas
  const own = { GatewayError: gatewayErrorSchema, Error: managementError, ...listSchemas, ...usageSchemas }
  return Object.assign({}, ...ofSurfaces, own)
}

function describeRoute(route: GatewayRoute): Operation {
  const { surface, endpoint } = route
  const described = endpoint === null ? describeReading(route) : describeEndpoint(surface, endpoint)
  return { ...described, security: [{ token: [] }] }
}

function describeEndpoint(surface: Surface, { description: said, operation }: Endpoint): Operation {
  return {
    operationId: said.operationId,
    summary: said.summary,
    description: said.stream === null ? said.description : `${said.description} ${describeStreamErrors(surface)}`,
    tags: ['completions'],
    parameters: parametersOf(operation),
    requestBody: { required: true, content: { [bodyReaders[operation.bodyKind].mediaType]: said.request } },
    responses: {
      200: {
        description: 'The answer',
        headers: answerHeadersOf(operation),
        content: {
          'application/json': said.answer,
          ...(said.stream === null ? {} : { 'text/event-stream': describeStream(said.stream) }),
        },
      },
      ...describeErrors([...everyRoute, ...completionErrors], surface),
    },
  }
}

function parametersOf({ remembers, caches }: Endpoint['operation']): Parameter[] {
  return [...(remembers ? conversationHeaders : []), ...(caches ? [cacheWish] : [])]
}

function describeStream({ schema, examples }: DescribedBody) {
  return {
    schema: { type: 'string', description: 'Server-sent events' },
    examples,
    'x-event-schema': schema,
  }
}

function describeStreamErrors(surface: Surface): string {
  const frames = streamErrors.map(code => surface.errorFrame(new Refusal(code), sampleRequestId))
  const codes = frames.map(frame => /"(?:error_)?code":"(\w+)"/.exec(frame)?.[1]).filter(code => code !== undefined)
  return `Codes of errors in streams: ${[...new Set(codes)].map(code => `\`${code}\``).join(', ')}.`
}

function describeReading({ method, pattern, surface }: GatewayRoute): Operation {
  const said: ReadOperation | undefined = readOperations[`${method} ${pattern}`]
  if (said === undefined) throw new Error(`${method} ${pattern} is not described in openapi/operations.ts`)
  const { operationId, summary, description: more, tag, parameters, body, answer, done = 'Deleted', errors } = said
  const success: Response =
    answer === null
      ? { description: done, headers: headersOf('204') }
      : { description: 'Success', headers: headersOf('200'), content: answer }
  return {
    operationId,
    summary,
    ...(more === undefined ? {} : { description: more }),
    tags: [tag],
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: { [answer === null ? 204 : 200]: success, ...describeErrors([...everyRoute, ...errors], surface) },
  }
}
