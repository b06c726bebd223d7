// The OpenAPI document: sound in itself, complete against the route table, and true when the product is asked.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../../src/http/openapi-types.ts'
import { pathsOf } from '../../../src/management/plane/route.ts'
import {
  deadReferences,
  type ListedOperation,
  listOperations,
  referencesIn,
  wrongNames,
  wrongParameters,
} from '../../openapi/document-rules.ts'
import { type Answer, type ManagementHarness, startManagement } from '../../support/management-harness.ts'
import { expectOk, unknownId } from '../requests.ts'
import { openRouteTable, type RouteTable } from './route-table.ts'

let plane: ManagementHarness
let table: RouteTable
let document: OpenApiDocument
beforeAll(async () => {
  plane = await startManagement('sqlite')
  table = await openRouteTable()
  document = expectOk(await plane.call('GET', '/auth/v1/openapi.json'))
})
afterAll(async () => {
  await table?.close()
  await plane?.stop()
})

const operations = (): ListedOperation[] => listOperations(document)

describe('the document', () => {
  test('is OpenAPI 3.1 with the product’s own address', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: `http://localhost:${plane.product.port}` }])
  })

  test('has every route of the table by every path, and no other', () => {
    const declared = table.routes.flatMap(route =>
      pathsOf(route).map(path => `${route.method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(declared.sort())
  })

  test('resolves every reference', () => {
    expect(referencesIn(document).length).toBeGreaterThan(0)
    expect(deadReferences(document)).toEqual([])
  })

  test('calls every operation by a short name, and an alias by the name of what it stands for', () => {
    for (const { path, method, operation } of operations()) {
      expect(operation.operationId, path).toMatch(/^[a-z]+([A-Z][a-z]+){1,5}$/)
      const target = operation['x-alias-of']
      const isAlias = path !== '/v1/tenants/{tenantId}/guardrails/events' && /^\/v1\/(tenants|projects)\//.test(path)
      expect([path, target]).toEqual([path, isAlias ? `/auth${path}` : undefined])
      if (target === undefined) continue
      expect(operation.operationId).toBe(`${document.paths[target]?.[method]?.operationId}Alias`)
    }
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(ids).toEqual(expect.arrayContaining(['deploySettings', 'createProject', 'mintToken', 'exportTenant']))
  })

  test('declares exactly the parameters of each path, each once', () => {
    expect(wrongParameters(document)).toEqual([])
  })

  test('names every operation, tag and credential once and uses no other', () => {
    expect(wrongNames(document)).toEqual([])
  })

  test('describes every answer, and has a body for every route that takes one', () => {
    for (const route of table.routes) {
      for (const path of pathsOf(route)) {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]
        expect(operation?.requestBody !== undefined).toBe(route.body !== undefined)
        for (const status of Object.keys(route.answers)) expect(operation?.responses).toHaveProperty(status)
        for (const response of Object.values(operation?.responses ?? {})) expect(response.description).not.toBe('')
      }
    }
  })

  test("knows the contract's own words where they are given", () => {
    const responses = (method: string, path: string) => document.paths[path]?.[method]?.responses ?? {}
    const mint = responses('post', '/auth/v1/auth/mint')
    for (const words of [
      'Bearer token required',
      'Invalid API key format',
      'API key revoked',
      'Project is suspended',
    ]) {
      expect(mint['401']?.description).toContain(words)
    }
    expect(mint['429']?.description).toContain('RATE_LIMITED')
    const create = responses('post', '/auth/v1/tenants/{tenantId}/projects')
    expect(create['403']?.description).toContain('Free plan is limited to 3 projects')
    const playground = document.paths['/auth/v1/projects/{projectId}/playground']?.['post']
    expect(playground?.parameters.map(parameter => parameter.name)).toContain('X-User-Id')
    expect(document.paths['/v1/auth/mint']?.['post']?.servers).toHaveLength(2)
  })
})

describe('what the document says of errors is true', () => {
  /** The answer's status and words stand in the description of that status. */
  function expectDocumented({ operation, method, path }: ListedOperation, answer: Answer, status: number): void {
    const { error } = answer.body as { error: string }
    expect({ place: `${method} ${path}`, status: answer.status }).toEqual({ place: `${method} ${path}`, status })
    const documented = operation.responses[String(status)]
    expect(documented?.description ?? '', `${method} ${path} ${status}`).toContain(error)
    const challenge = documented?.headers?.['WWW-Authenticate']?.schema['const'] ?? null
    expect(answer.headers.get('www-authenticate'), `${method} ${path} ${status}`).toBe(challenge)
  }
  const fill = (path: string, ids: Record<string, string> = {}) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? unknownId)
  const credentialOf = ({ operation }: ListedOperation) => operation.security?.flatMap(Object.keys)[0]
  const send = ({ method, path }: ListedOperation, more: object, ids?: Record<string, string>) =>
    plane.call(method.toUpperCase(), fill(path, ids), more)

  test('401 on every route with a credential', async () => {
    for (const listed of operations()) {
      if (credentialOf(listed) === undefined || listed.operation.servers !== undefined) continue
      expectDocumented(listed, await send(listed, {}), 401)
      if (credentialOf(listed) === 'session') expectDocumented(listed, await send(listed, { session: 'sess_x' }), 401)
    }
  })

  test('400 for malformed targets, wherever a path has parameters', async () => {
    for (const listed of operations()) {
      const malformed = listed.path.replace(/\{\w+\}/g, 'a%2Fb')
      if (malformed === listed.path) continue
      expectDocumented(listed, await plane.call(listed.method.toUpperCase(), malformed), 400)
    }
  })

  test('404 for parents that are not there, 403 for strangers', async () => {
    const tenant = await plane.makeTenant()
    const project = await plane.makeProject(tenant.id)
    const key = await plane.makeApiKey(project.id)
    const stranger = await plane.makePerson()
    const ids = { tenantId: tenant.id, projectId: project.id, keyId: key.id, providerType: 'openai', number: '1' }
    for (const listed of operations()) {
      if (credentialOf(listed) !== 'session' || !/\{(tenant|project|key)Id\}/.test(listed.path)) continue
      expectDocumented(listed, await send(listed, { session: plane.owner.session }), 404)
      expectDocumented(listed, await send(listed, { session: stranger.session }, ids), 403)
    }
  })

  test('400 for broken JSON, 413 for too much and 415 for another type, wherever a body is taken', async () => {
    const tenant = await plane.makeTenant()
    const project = await plane.makeProject(tenant.id)
    const { api_key, id: keyId } = await plane.makeApiKey(project.id)
    const ids = { tenantId: tenant.id, projectId: project.id, providerType: 'openai', keyId }
    const owned = { session: plane.owner.session, 'api-key': api_key, 'admin-secret': plane.adminSecret }
    for (const listed of operations()) {
      if (listed.operation.requestBody === undefined || listed.operation.servers !== undefined) continue
      const credential = credentialOf(listed)
      const more =
        credential === 'admin-secret'
          ? { adminSecret: owned['admin-secret'] }
          : { session: owned[credential as 'session'] }
      expectDocumented(listed, await send(listed, { ...more, body: '{"a":' }, ids), 400)
      expectDocumented(listed, await send(listed, { ...more, body: `"${'x'.repeat(1_048_576)}"` }, ids), 413)
      const headers = { 'content-type': 'text/plain' }
      expectDocumented(listed, await send(listed, { ...more, body: 'a', headers }, ids), 415)
    }
  })
})
