// The data plane's OpenAPI document: sound in itself, complete against the gateway's routes and the errors that the
// source can throw, and each example valid by its schema.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Refusal, type RefusalCode } from '../../src/domain/errors.ts'
import { servedRoutes } from '../../src/gateway/routes.ts'
import type { OpenApiDocument } from '../../src/http/openapi-types.ts'
import { describeRoutes, toTemplate } from '../../src/management/plane/openapi-document.ts'
import { describeDataPlane } from '../../src/openapi/describe-data-plane.ts'
import { openRouteTable, type RouteTable } from '../management/plane/route-table.ts'
import { deadReferences, listOperations, referencesIn, wrongNames, wrongParameters } from './document-rules.ts'
import { createValidator, readEventStream, type Validator } from './validator.ts'

const addresses = { baseUrl: 'https://gateway.example.com:8443', publicDomain: 'apps.example.com' }
let table: RouteTable
let document: OpenApiDocument
let validator: Validator
beforeAll(async () => {
  table = await openRouteTable()
  document = describeDataPlane(describeRoutes(table.routes, addresses), addresses)
  validator = createValidator(document)
})
afterAll(() => table?.close())

const contents = () =>
  listOperations(document).flatMap(({ operation }) => [
    ...(operation.requestBody === undefined
      ? []
      : [{ place: `${operation.operationId} request`, content: operation.requestBody.content }]),
    ...Object.entries(operation.responses).map(([status, { content = {} }]) => ({
      place: `${operation.operationId} ${status}`,
      content,
    })),
  ])

describe('the document', () => {
  test('is OpenAPI 3.1 with both addresses of a project', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers.map(({ url }) => url)).toEqual([
      'https://{slug}.apps.example.com:8443',
      'https://gateway.example.com:8443/p/{slug}',
    ])
  })

  test('has every route of the gateway and the mint, and no other', () => {
    const documented = listOperations(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(documented.sort()).toEqual(servedRoutes.map(row => `${row.method} ${toTemplate(row.pattern)}`).sort())
  })

  test('resolves every reference, and uses every schema', () => {
    expect(deadReferences(document)).toEqual([])
    const used = new Set(referencesIn(document))
    const unused = Object.keys(document.components.schemas).filter(name => !used.has(`#/components/schemas/${name}`))
    expect(unused).toEqual([])
  })

  test('declares the parameters of each path, and every name once', () => {
    expect(wrongParameters(document)).toEqual([])
    expect(wrongNames(document)).toEqual([])
  })

  test('calls every operation by a short name', () => {
    const ids = listOperations(document).map(({ operation }) => operation.operationId)
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+){1,4}$/)
    expect(ids).toContain('createChatCompletion')
  })

  test('names a credential and the request id everywhere', () => {
    const open = ['mintAnonymousToken', 'getAnonymousChallenge']
    for (const { operation } of listOperations(document)) {
      if (open.includes(operation.operationId)) expect(operation.security).toBeUndefined()
      else expect(operation.security).toHaveLength(1)
      for (const response of Object.values(operation.responses)) {
        expect(response.description).not.toBe('')
        expect(response.headers?.['x-request-id']?.required).toBe(true)
      }
    }
  })

  test('has only schemas that compile in strict mode, and only examples that are valid', () => {
    let count = 0
    for (const { place, content } of contents()) {
      for (const [type, { schema, examples = {}, 'x-event-schema': ofEvent }] of Object.entries(content)) {
        for (const [name, { value }] of Object.entries(examples)) {
          expect([place, type, name, validator.faultsOf(schema, value)]).toEqual([place, type, name, []])
          count++
          if (ofEvent === undefined) continue
          const { events, others } = readEventStream(String(value))
          expect([place, name, others, events.length > 1]).toEqual([place, name, [], true])
          for (const event of events) expect([event, validator.faultsOf(ofEvent, event)]).toEqual([event, []])
        }
      }
    }
    expect(count).toBeGreaterThan(200)
  })

  test('has an example of each request, answer and error', () => {
    const without = contents().flatMap(({ place, content }) =>
      Object.values(content)
        .filter(({ examples = {} }) => Object.keys(examples).length === 0)
        .map(() => place),
    )
    // The management API's own word for what it does not list.
    const minting = ['mintTokenOnProjectHost', 'mintAnonymousToken', 'getAnonymousChallenge']
    expect(without).toEqual(minting.map(operation => `${operation} default`))
  })
})

const source = join(import.meta.dirname, '../../src')
/** The rooms through which requests of the data plane pass. */
const rooms = [
  'domain',
  'http',
  'gateway',
  'inference',
  'surfaces',
  'guardrails',
  'providers',
  'kv',
  'storage',
  'crypto',
]
/** Literals of these rooms that are codes of errors, and why the data plane does not answer with them. */
const elsewhere: Partial<Record<RefusalCode, string>> = {
  draining: 'what /readyz calls it',
  invalid_internal_secret: 'between our own services',
  invalid_key: 'of key sets and of the check of provider keys',
  too_many_restricted: 'of the management API',
  too_many_user_budgets: 'of the management API',
  webhook_limit: 'of the management API',
  webhook_not_found: 'of the management API',
  webhook_url_taken: 'of the management API',
  provider_not_configured: 'what a choice of a model calls it; the error is model_without_key',
}

function isCode(word: string): word is RefusalCode {
  return new Refusal(word as RefusalCode).row !== undefined
}

/** Every literal, because codes also travel in tables and as reasons. */
function codesInSource(): Set<RefusalCode> {
  const files = rooms.flatMap(room =>
    readdirSync(join(source, room), { recursive: true, encoding: 'utf8' }).map(name => join(room, name)),
  )
  const codes = new Set<RefusalCode>()
  for (const file of files) {
    if (!file.endsWith('.ts') || /^domain\/errors[./]/.test(file)) continue
    for (const [, word = ''] of readFileSync(join(source, file), 'utf8').matchAll(/'([a-z_]+)'/g)) {
      if (codeNames.has(word) && isCode(word)) codes.add(word)
    }
  }
  return codes
}

/** The names of the rows, read from the table's own files. */
const codeNames = new Set(
  ['errors.ts', ...readdirSync(join(source, 'domain/errors')).map(name => `errors/${name}`)].flatMap(name =>
    [...readFileSync(join(source, 'domain', name), 'utf8').matchAll(/^ {2}([a-z_]+): \{/gm)].map(
      ([, code = '']) => code,
    ),
  ),
)

describe('errors', () => {
  test('every code that the data plane can answer is documented, and none that it cannot', () => {
    const documented = new Set(
      contents()
        .filter(({ place }) => !/^(?:mint|getAnonymous)/.test(place) && !/ (?:request|20\d)$/.test(place))
        .flatMap(({ content }) => Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)))
        .map(name => name.replace(/_later$/, '')),
    )
    const thrown = [...codesInSource()].filter(code => !(code in elsewhere))
    const ofMint = ['mint_failed', 'mint_unreachable', 'anonymous_disabled', 'origin_not_allowed']
    expect(thrown.length).toBeGreaterThan(40)
    expect([...documented].sort()).toEqual(thrown.filter(code => !ofMint.includes(code)).sort())
    const minting = ['/v1/auth/mint', '/v1/auth/anonymous'].map(path => document.paths[path]?.['post']?.responses ?? {})
    const mintCodes = minting
      .flatMap(mint => Object.values(mint))
      .flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {}))
    expect(mintCodes).toEqual(
      expect.arrayContaining([...ofMint, 'mint_user_blocked', 'mint_rate_limited', 'key_revoked']),
    )
  })

  test('every example stands under its own status', () => {
    for (const { operation } of listOperations(document)) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (status === 'default' || Number(status) < 400) continue
        for (const name of Object.keys(content['application/json']?.examples ?? {})) {
          const { row } = new Refusal(name.replace(/_later$/, '') as RefusalCode)
          expect([operation.operationId, name, String(row.status)]).toEqual([operation.operationId, name, status])
        }
      }
    }
  })

  test('an error that always has the gateway’s format is documented in no other', () => {
    const examples = contents()
      .filter(({ place }) => !/^(?:mint|getAnonymous)/.test(place) && !/ (?:request|20\d)$/.test(place))
      .flatMap(({ place, content }) =>
        Object.entries(content['application/json']?.examples ?? {}).map(([name, { value }]) => ({
          place,
          name,
          value,
        })),
      )
    const ofGateway = examples.filter(
      ({ name }) => new Refusal(name.replace(/_later$/, '') as RefusalCode).row.isGateways,
    )
    expect(ofGateway.length).toBeGreaterThan(40)
    for (const { place, name, value } of ofGateway) {
      // Clients of Anthropic's format get it for all errors.
      const isMessages = /^(?:createMessage|countMessageTokens) /.test(place)
      const members = isMessages ? ['type', 'error', 'request_id'] : ['error', 'message']
      expect([place, name, Object.keys(value as object)]).toEqual([place, name, members])
    }
  })

  test('the codes of errors in streams are named', () => {
    const { description } = document.paths['/v1/chat/completions']?.['post'] ?? {}
    for (const code of ['service_disabled', 'server_shutting_down', 'provider_unavailable', 'provider_timeout']) {
      expect(description).toContain(`\`${code}\``)
    }
  })
})
