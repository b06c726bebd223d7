// Serves the OpenAPI documents of the management API and of the data plane, and the reference page for people. Each is
// built once, at its first request.

import { z } from 'zod'
import { docsPagePolicy, renderDocsPage } from './docs/docs-page.ts'
import { type Addresses, describeRoutes, type OpenApiDocument } from './openapi-document.ts'
import { type Route, route } from './route.ts'

/**
 * Makes the data plane's document; it takes the routes that management serves on projects' hosts from the first one.
 */
export type DescribeDataPlane = (management: OpenApiDocument, addresses: Addresses) => OpenApiDocument

export function openApiRoutes(
  documented: () => readonly Route[],
  addresses: Addresses,
  describeDataPlane: DescribeDataPlane,
): Route[] {
  let made: OpenApiDocument | undefined
  const getDocument = () => {
    made ??= describeRoutes(documented(), addresses)
    return made
  }
  let dataPlane: OpenApiDocument | undefined
  const getDataPlane = () => {
    dataPlane ??= describeDataPlane(getDocument(), addresses)
    return dataPlane
  }
  let page: string | undefined
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
        return { status: 200, body: getDocument() }
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
        return { status: 200, body: getDataPlane() }
      },
    }),
    route({
      method: 'GET',
      operation: 'getDocsPage',
      path: '/docs/api',
      summary: 'Get both documents as an HTML page',
      credential: 'none',
      owner: 'none',
      answers: { 200: 'html' },
      async handle() {
        page ??= renderDocsPage(getDocument(), getDataPlane())
        return { status: 200, html: page, headers: { 'content-security-policy': docsPagePolicy } }
      },
    }),
  ]
}
