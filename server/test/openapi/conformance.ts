// Holds a real response against what the OpenAPI document says of its operation and status.
import { expect } from 'vitest'
import type { OpenApiDocument, Response } from '../../src/http/openapi-types.ts'
import { listOperations } from './document-rules.ts'
import { createValidator, readEventStream } from './validator.ts'

export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** What HTTP itself and every JSON response has; the document does not list them. */
const common = new Set([
  ...['content-type', 'content-length', 'transfer-encoding', 'cache-control', 'date', 'connection', 'keep-alive'],
  ...['vary', 'x-accel-buffering'],
])

export interface Conformance {
  /** The status, every header, and the body by its schema; `error` is the name of the documented example it is like. */
  expectDocumented(operationId: string, received: Received, error?: string): void
}

export function createConformance(document: OpenApiDocument): Conformance {
  const validator = createValidator(document)
  const operations = new Map(listOperations(document).map(({ operation }) => [operation.operationId, operation]))

  function faultsOfHeaders({ headers: documented = {} }: Response, received: Received): string[] {
    const byName = new Map(Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]))
    const missing = [...byName].filter(([name, { required }]) => required === true && !(name in received.headers))
    const present = Object.entries(received.headers).filter(([name]) => !common.has(name))
    return [
      ...missing.map(([name]) => `${name} is missing`),
      ...present.flatMap(([name, value]) => {
        const schema = byName.get(name)?.schema
        if (schema === undefined) return [`${name} is not documented`]
        const typed = schema['type'] === 'integer' ? Number(value) : value
        return validator.faultsOf(schema, typed).map(fault => `${name} ${fault}`)
      }),
    ]
  }

  function faultsOfBody({ content = {} }: Response, { headers, text }: Received): string[] {
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    if (type === '') return text === '' && Object.keys(content).length === 0 ? [] : ['a body without a type']
    const documented = content[type]
    if (documented === undefined) return [`${type} is not documented`]
    const { schema, 'x-event-schema': ofEvent } = documented
    if (ofEvent === undefined) return validator.faultsOf(schema, JSON.parse(text))
    const { events, others } = readEventStream(text)
    return [...others, ...events.flatMap(event => validator.faultsOf(ofEvent, event))]
  }

  return {
    expectDocumented(operationId, received, error) {
      const responses = operations.get(operationId)?.responses ?? {}
      const fitting = [responses[String(received.status)], responses['default']].filter(each => each !== undefined)
      // Errors of other paths and methods stand under `default`, whatever their status.
      const described = error === undefined ? fitting[0] : fitting.find(each => exampleOf(each, error) !== undefined)
      const place = `${operationId} ${received.status} ${received.text.slice(0, 200)}`
      if (described === undefined) throw new Error(`not documented: ${place}`)
      const faults = [...faultsOfHeaders(described, received), ...faultsOfBody(described, received)]
      expect([place, faults]).toEqual([place, []])
      if (error === undefined) return
      expect([place, kindOf(JSON.parse(received.text))]).toEqual([place, kindOf(exampleOf(described, error))])
    },
  }
}

const exampleOf = ({ content }: Response, name: string): unknown =>
  content?.['application/json']?.examples?.[name]?.value

/** Of an error in any of the formats: all but the words, which may name a value, and the field. */
function kindOf(body: unknown): unknown {
  const { error, ...others } = body as { error: unknown; message?: string; code?: string }
  if (typeof error === 'object' && error !== null) return { ...error, message: '', param: null }
  return others.message === undefined ? body : { error }
}
