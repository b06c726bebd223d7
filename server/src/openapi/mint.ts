// The mint of projects' hosts, as the management API's document describes it, with examples and with the headers that
// responses have there.

import type { MintRequest, MintResponse } from '../../../sdk/src/wire.ts'
import type { OpenApiDocument, Operation, Response } from '../management/plane/openapi-document.ts'
import { mintHeadersOf } from './headers.ts'

const requests = {
  plain: { summary: 'A token for one hour', value: { user_id: 'user-42' } satisfies MintRequest },
  tier: {
    summary: 'With a lifetime, a tier and a session',
    value: { user_id: 'user-42', ttl: 600, tier: 'gold', session_id: 'support-chat-7' } satisfies MintRequest,
  },
}
const minted: MintResponse = {
  access_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImRlZmF1bHQiLCJ0eXAiOiJKV1QifQ.e30.c2lnbmF0dXJl',
  token_type: 'Bearer',
  project_id: '7f1b3c1e-4d0f-4a53-9a57-2f1e2a6d9c10',
  expires_in: 600,
  session_id: 'support-chat-7',
}

/** Only operations with servers of their own are served on projects' hosts. */
export function describeMint({ paths }: OpenApiDocument): OpenApiDocument['paths'] {
  const found: OpenApiDocument['paths'] = {}
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.servers === undefined) continue
      const described = found[path] ?? {}
      found[path] = described
      described[method] = describeOnHost(operation)
    }
  }
  return found
}

function describeOnHost({ servers: _, requestBody, responses, ...operation }: Operation): Operation {
  const body = requestBody?.content['application/json']
  return {
    ...operation,
    tags: ['tokens'],
    ...(requestBody === undefined || body === undefined
      ? {}
      : { requestBody: { ...requestBody, content: { 'application/json': { ...body, examples: requests } } } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(status, response)]),
    ),
  }
}

function describeResponse(status: string, response: Response): Response {
  const content = response.content?.['application/json']
  return {
    ...response,
    headers: { ...mintHeadersOf(status), ...response.headers },
    ...(status === '200' && content !== undefined
      ? { content: { 'application/json': { ...content, examples: { minted: { summary: 'Minted', value: minted } } } } }
      : {}),
  }
}
