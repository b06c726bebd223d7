// The routes that describe the API: the OpenAPI document for programs and the reference page for people. Both are built
// once, from the declarations of all routes.

import { z } from 'zod'
import { docsPagePolicy, renderDocsPage } from './docs-page.ts'
import { type Addresses, describeRoutes, type OpenApiDocument } from './openapi-document.ts'
import { type Route, route } from './route.ts'

export function openApiRoutes(documented: () => readonly Route[], addresses: Addresses): Route[] {
  let made: OpenApiDocument | undefined
  const getDocument = () => {
    made ??= describeRoutes(documented(), addresses)
    return made
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
      operation: 'getDocsPage',
      path: '/docs/api',
      summary: 'Get this document as an HTML page',
      credential: 'none',
      owner: 'none',
      answers: { 200: 'html' },
      async handle() {
        page ??= renderDocsPage(getDocument())
        return { status: 200, html: page, headers: { 'content-security-policy': docsPagePolicy } }
      },
    }),
  ]
}
