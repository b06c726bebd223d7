// The OpenAPI document: sound in itself, complete against the route table, and true when the product is asked; and the
// page that is made of it.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderDocsPage } from '../../../src/management/plane/docs/docs-page.ts'
import type { OpenApiDocument } from '../../../src/management/plane/openapi-document.ts'
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
let dataPlane: OpenApiDocument
let page: Answer
beforeAll(async () => {
  plane = await startManagement('sqlite')
  table = await openRouteTable()
  document = expectOk(await plane.call('GET', '/auth/v1/openapi.json'))
  dataPlane = expectOk(await plane.call('GET', '/openapi.json'))
  page = await plane.call('GET', '/docs/api')
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
    const { api_key } = await plane.makeApiKey(project.id)
    const ids = { tenantId: tenant.id, projectId: project.id, providerType: 'openai' }
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

describe('the page', () => {
  test('is served whole, names every path, and answers with nothing that may run or load', () => {
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    for (const { path, method } of [...operations(), ...listOperations(dataPlane)]) {
      expect(page.text).toContain(`<code>${path}</code>`)
      expect(page.text).toContain(`>${method.toUpperCase()}<`)
    }
    expect(page.text).not.toMatch(
      /<script|<link|<img|<iframe|\son\w+=|\sstyle=|javascript:|https?:\/\/(?!localhost|\{)/i,
    )
    expect(page.text).toMatch(/<\/html>\s*$/)
  })

  test('names its one style sheet by its digest', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.text)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  test('shows credential, role, fields and error words', () => {
    const article = (id: string) => page.text.split(`<article id="${id}">`)[1]?.split('</article>')[0] ?? ''
    const mint = article('mintToken')
    for (const text of ['api-key', 'user_id', 'required', 'minimum 60', 'maximum 86400', 'access_token', '429']) {
      expect(mint).toContain(text)
    }
    expect(mint).toContain('Project is suspended')
    const create = article('createProject')
    for (const text of [
      'session',
      'Needs <code>project:write</code> in the tenant, held by <code>owner</code>, <code>member</code>',
      'tenantId',
      '/v1/tenants/{tenantId}/projects',
      'Idempotency-Key',
    ]) {
      expect(create).toContain(text)
    }
    const completion = article('createChatCompletion')
    for (const text of ['X-Thread-Id', 'max_completion_tokens', 'messages', 'choices[].message', 'provider_timeout']) {
      expect(completion).toContain(text)
    }
    expect(page.text).toContain('href="/openapi.json"')
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of page.text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  test('escapes whatever the document says', () => {
    const hostile = `"><script>alert('1')</script>&`
    const operation = { ...Object.values(document.paths['/auth/v1/auth/mint'] ?? {})[0]!, tags: [hostile] }
    const described = {
      ...operation,
      operationId: hostile,
      summary: hostile,
      description: hostile,
      parameters: [
        { name: hostile, in: 'query' as const, required: false, schema: { description: hostile, type: hostile } },
      ],
      responses: { [hostile]: { description: hostile } },
    }
    const made = {
      ...document,
      info: { title: hostile, version: hostile, description: hostile },
      tags: [{ name: hostile }],
      paths: { [hostile]: { post: described } },
    }
    const rendered = renderDocsPage(made, { ...made, paths: { [`${hostile}2`]: { post: described } } })
    expect(rendered).not.toContain('<script')
    expect(rendered).not.toContain(hostile)
    expect(rendered.split('&#60;script&#62;').length).toBeGreaterThan(8)
  })
})
