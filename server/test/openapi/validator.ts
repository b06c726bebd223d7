// Validates values against the schemas of an OpenAPI document, with Ajv in its strict mode.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument, Schema } from '../../src/http/openapi-types.ts'

export interface Validator {
  /** What is wrong with the value; empty if nothing is. */
  faultsOf(schema: Schema, value: unknown): string[]
}

const formats = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  email: /^\S+@\S+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/,
}

export function createValidator({ components }: OpenApiDocument): Validator {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true, formats })
  ajv.addVocabulary(['components'])
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>()
  return {
    faultsOf(schema, value) {
      // References are paths from the root of the document.
      const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas: components.schemas } })
      compiled.set(schema, validate)
      if (validate(value)) return []
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    },
  }
}

/** The data of each event of a stream as `x-event-schema` describes it, and the other lines. */
export function readEventStream(text: string): { events: unknown[]; comments: string[]; others: string[] } {
  const lines = text.split(/\r?\n/).filter(line => line !== '')
  const data = lines.filter(line => line.startsWith('data:')).map(line => line.slice('data:'.length).trim())
  return {
    events: data.map(each => (each === '[DONE]' ? each : JSON.parse(each))),
    comments: lines.filter(line => line.startsWith(':')),
    others: lines.filter(line => !/^(?:data|event)?:/.test(line)),
  }
}
