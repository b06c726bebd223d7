// The types of the management client: what each part of the document becomes, and that the committed file is the one
// that the routes of this checkout make.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeManagement } from '../generate/describe-management.ts'
import { type ApiOperation, type Schema, writeTypes } from '../generate/write-types.ts'

test('the committed types and methods are those of the routes: else run `npm run sdk:generate`', async () => {
  const written = await describeManagement()
  expect(written.size).toBe(2)
  for (const [file, text] of written) {
    expect(text.split('\n').length).toBeGreaterThan(500)
    expect([file, readFileSync(file, 'utf8') === text]).toEqual([file, true])
  }
})

function writeOperation(operation: Partial<ApiOperation>): string {
  const whole = { summary: 'Do it', parameters: [], responses: {}, ...operation }
  const schemas = { Thing: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }
  return writeTypes({ paths: { '/a/{id}': { post: whole } }, components: { schemas } })
}

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })

describe('a schema', () => {
  const written = (schema: Schema) => {
    const [, type] = /output: ([\s\S]*?)\n {2}\}\n\}/.exec(writeOperation({ responses: { 200: json(schema) } })) ?? []
    return type?.replace(/\s+/g, ' ')
  }
  test.each<[Schema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer', minimum: 1 }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number | null'],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
    [{ allOf: [{ type: 'string' }, {}] }, '(string) & (unknown)'],
    [{ enum: ['a', "b'c", 3] }, "'a' | 'b\\'c' | 3"],
    [{ const: 'a' }, "'a'"],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "Array<'a' | 'b'>"],
    [{ type: 'array' }, 'Array<unknown>'],
    [{}, 'unknown'],
    [{ $ref: '#/components/schemas/Thing' }, '{ a: string }'],
    [
      { type: 'object', properties: { 'a-b': {}, c: { type: 'null' } }, required: ['c'] },
      "{ 'a-b'?: unknown c: null }",
    ],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    [
      { type: 'object', properties: { a: { enum: ['A'] } }, additionalProperties: { enum: ['A'] } },
      "{ a?: 'A' [name: string]: 'A' | undefined }",
    ],
    [
      { type: 'object', propertyNames: { enum: ['A', 'B'] }, additionalProperties: { type: 'string' } },
      "Partial<Record<'A' | 'B', string>>",
    ],
    [
      { type: 'object', propertyNames: { enum: ['A'] }, additionalProperties: {}, required: ['A'] },
      "Record<'A', unknown>",
    ],
  ])('%j is %s', (schema, type) => {
    expect(written(schema)).toBe(type)
  })

  test('that is missing is an error', () => {
    expect(() => written({ $ref: '#/components/schemas/Gone' })).toThrow(/does not hold/)
  })
})

describe('an operation', () => {
  const parameter = (name: string, place: string, required: boolean) => ({
    ...{ name, in: place, required, schema: { type: 'string' } },
  })

  test('has what goes in and what comes out', () => {
    const parameters = [
      parameter('id', 'path', true),
      parameter('limit', 'query', false),
      parameter('Idempotency-Key', 'header', false),
    ]
    const requestBody = { required: false, ...json({ type: 'boolean' }) }
    const responses = { 200: json({ type: 'string' }), 204: {}, 400: json({ type: 'number' }) }
    expect(writeOperation({ parameters, requestBody, responses })).toContain(
      [
        '  /** Do it */',
        "  'POST /a/{id}': {",
        '    input: {',
        '      path: { id: string }',
        '      query?: { limit?: string }',
        "      headers?: { 'Idempotency-Key'?: string }",
        '      body?: boolean',
        '    }',
        '    output: string | undefined',
        '  }',
      ].join('\n'),
    )
  })

  test.each([
    ['text/html', 'string'],
    ['text/event-stream', 'ReadableStream<Uint8Array>'],
  ])('with an answer of %s', (type, output) => {
    const content = { [type]: { schema: { type: 'string' } } }
    expect(writeOperation({ responses: { 200: { content } } })).toContain(`output: ${output}\n`)
  })

  test('without input, and required input', () => {
    expect(writeOperation({})).toContain('input: Record<never, never>')
    expect(writeOperation({ requestBody: { required: true, ...json({}) } })).toContain('body: unknown')
    expect(writeOperation({ parameters: [parameter('q', 'query', true)] })).toContain('query: { q: string }')
  })

  test('that is an alias, on another address, or only redirects, is left out', () => {
    expect(writeOperation({ 'x-alias-of': '/b' })).not.toContain('POST')
    expect(writeOperation({ servers: [] })).not.toContain('POST')
    expect(writeOperation({ responses: { 302: {} } })).not.toContain('POST')
  })
})
