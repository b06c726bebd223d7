// What the OpenAPI documents of the product consist of.

export type Schema = Record<string, unknown>

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  components: { securitySchemes: Record<string, Schema>; schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  description?: string
  servers?: unknown[]
  security?: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
  /** What the caller must hold in the tenant; a list if it is more than one. */
  'x-permission'?: string | readonly string[]
  /** Set if accounts with a second factor need a recent sign-in. */
  'x-step-up'?: true
  /** Set for an alias: the path of the route that it stands for. */
  'x-alias-of'?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

export interface Response {
  description: string
  headers?: Record<string, { description: string; required?: boolean; schema: Schema }>
  content?: Content
}

export type Content = Record<string, MediaType>

interface MediaType {
  schema: Schema
  examples?: Record<string, { summary?: string; value: unknown }>
  /** The schema of each event's data, if the answer is a stream of server-sent events. */
  'x-event-schema'?: Schema
}

/** The documents of both APIs. */
export interface ApiDocuments {
  management(): OpenApiDocument
  dataPlane(): OpenApiDocument
}
