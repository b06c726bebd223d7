// The API reference: each operation once, in a chapter, with a request and a response that the documents allow.
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi-types.ts'
import { buildReference, type ReferencePage } from '../../src/pages/reference/build-reference.ts'
import { type Examples, readExamples } from '../../src/pages/reference/examples.ts'
import { type ExampleChecker, openExampleChecker } from '../docs/examples/check-examples.ts'

const examples: Examples = readExamples(join(import.meta.dirname, '../../../docs'))
let checker: ExampleChecker
let pages: ReferencePage[]
beforeAll(async () => {
  checker = await openExampleChecker()
  pages = buildReference(checker.documents, examples)
})

const sectionOf = (id: string): string => {
  const found = pages
    .flatMap(({ html }) => html.split('<section class="operation">'))
    .find(each => each.includes(`<h2 id="${id}">`))
  return found ?? ''
}

describe('examples', () => {
  test('every operation has one; `npm run docs:examples -- PATH_OF_A_TEST` records what lacks', () => {
    expect(checker.operations.length).toBeGreaterThan(180)
    const lacking = checker.operations.filter(({ operation }) => examples[operation.operationId] === undefined)
    expect(lacking.map(({ operation }) => operation.operationId)).toEqual([])
    const known = new Set(checker.operations.map(({ operation }) => operation.operationId))
    expect(Object.keys(examples).filter(id => !known.has(id))).toEqual([])
  })

  test('each is sound by the OpenAPI documents; `npm run docs:examples -- PATH_OF_A_TEST` replaces what is not', () => {
    const faults = checker.operations.flatMap(listed => {
      const example = examples[listed.operation.operationId]
      return example === undefined
        ? []
        : checker.faultsOf(listed, example).map(fault => `${listed.operation.operationId}: ${fault}`)
    })
    expect(faults).toEqual([])
  })

  test('an example that is not sound is noticed', () => {
    const listed = checker.find('POST', '/auth/v1/tenants')!
    const example = examples['createTenant']!
    expect(checker.faultsOf(listed, example)).toEqual([])
    expect(checker.faultsOf(listed, { ...example, body: { name: 7 } })).not.toEqual([])
    expect(checker.faultsOf(listed, { ...example, response: {} })).not.toEqual([])
    expect(checker.faultsOf(listed, { ...example, status: 299 })).not.toEqual([])
    expect(checker.faultsOf(listed, { ...example, path: '/elsewhere' })).not.toEqual([])
  })

  test('none holds an address or an account of the machine that recorded it', () => {
    expect(JSON.stringify(examples)).not.toMatch(/127\.0\.0\.1|localhost:\d|person-[0-9a-f]{6}|\/tmp\//)
  })
})

describe('pages', () => {
  test('show each operation once, with its aliases, a request and a response', () => {
    const ids = pages.flatMap(({ html }) => [...html.matchAll(/<h2 id="(\w+)">/g)].map(([, id]) => id))
    for (const { operation, path, aliases } of checker.operations) {
      expect(ids.filter(id => id === operation.operationId)).toHaveLength(1)
      const section = sectionOf(operation.operationId)
      for (const each of [path, ...aliases]) expect(section).toContain(`<code>${each}</code>`)
      expect(section).toContain('<h3>Example request</h3><pre tabindex="0"><code>curl')
      expect(section).toContain('<h3>Example response: ')
    }
  })

  test('have chapters of a size that one can read, and the last one takes only what belongs nowhere else', () => {
    const counts = pages.map(({ name, sections }) => [name, sections.length - 1] as const)
    expect(counts.length).toBeGreaterThan(15)
    for (const [name, count] of counts) expect([name, count > 0 && count <= 24]).toEqual([name, true])
    expect(new Map(counts).get('api/installation')).toBeLessThan(6)
  })

  test('list every operation on the first page', () => {
    const [start] = pages
    for (const { operation } of checker.operations) {
      expect(start?.html).toMatch(new RegExp(`<a href="/docs/api/[\\w-]+#${operation.operationId}">`))
    }
    expect(start?.html).toContain('href="/openapi.json"')
    expect(start?.html).toContain('href="/auth/v1/openapi.json"')
  })

  test('show credential, permission, fields and errors', () => {
    const mint = sectionOf('mintToken')
    for (const text of [
      'api-key',
      'user_id',
      'minimum 60',
      'maximum 86400',
      'access_token',
      '429',
      'Project is suspended',
    ]) {
      expect(mint).toContain(text)
    }
    const create = sectionOf('createProject')
    for (const text of ['session', 'Needs <code>project:write</code> in the tenant', 'tenantId', 'Idempotency-Key']) {
      expect(create).toContain(text)
    }
    const completion = sectionOf('createChatCompletion')
    for (const text of [
      'X-Thread-Id',
      'max_completion_tokens',
      'choices[].message',
      'provider_timeout',
      '/p/$SLUG/v1',
    ]) {
      expect(completion).toContain(text)
    }
  })

  test('escape whatever documents and examples say', () => {
    const hostile = `"><script>alert('1')</script>&`
    const [first] = checker.operations
    const described = {
      ...first!.operation,
      operationId: hostile,
      summary: hostile,
      description: hostile,
      parameters: [
        { name: hostile, in: 'query' as const, required: false, schema: { description: hostile, type: hostile } },
      ],
      responses: { [hostile]: { description: hostile } },
    }
    const made = (path: string): OpenApiDocument => ({
      ...first!.document,
      info: { title: hostile, version: hostile, description: hostile },
      paths: { [path]: { post: described } },
    })
    const documents = { management: () => made(hostile), dataPlane: () => made(`${hostile}2`) }
    const example = { path: hostile, body: { [hostile]: hostile }, status: 200, response: hostile }
    const text = buildReference(documents, { [hostile]: example })
      .map(({ html }) => html)
      .join('')
    expect(text).not.toContain('<script')
    expect(text.split('&#60;script&#62;').length).toBeGreaterThan(8)
  })
})
