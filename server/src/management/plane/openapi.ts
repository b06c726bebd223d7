// Serves the OpenAPI documents of the management API and of the data plane. Each is built once, at its first use.

import { z } from 'zod'
import type { ApiDocuments, OpenApiDocument } from '../../http/openapi-types.ts'
import { type Addresses, describeRoutes } from './openapi-document.ts'
import { type Route, route } from './route.ts'

/**
 * Makes the data plane's document; it takes the routes that management serves on projects' hosts from the first one.
 */
export type DescribeDataPlane = (management: OpenApiDocument, addresses: Addresses) => OpenApiDocument

export function createApiDocuments(
  documented: () => readonly Route[],
  addresses: Addresses,
  describeDataPlane: DescribeDataPlane,
): ApiDocuments {
  let made: OpenApiDocument | undefined
  const management = () => {
    made ??= describeRoutes(documented(), addresses)
    return made
  }
  let dataPlane: OpenApiDocument | undefined
  return {
    management,
    dataPlane() {
      dataPlane ??= describeDataPlane(management(), addresses)
      return dataPlane
    },
  }
}

export function openApiRoutes(documents: ApiDocuments): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/openapi.json',
      operation: 'getOpenApi',
      summary: 'Get this OpenAPI document',
      credential: 'none',
      owner: 'none',
      answers: { 200: z.looseObject({}) },
      async handle() {
        return { status: 200, body: documents.management() }
      },
    }),
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'getDataPlaneOpenApi',
      summary: 'Get the OpenAPI document of the data plane',
      credential: 'none',
      owner: 'none',
      answers: { 200: z.looseObject({}) },
      async handle() {
        return { status: 200, body: documents.dataPlane() }
      },
    }),
  ]
}
