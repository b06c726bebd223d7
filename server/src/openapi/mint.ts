// The operations that mint tokens on projects' hosts, as the management API's document describes them, with examples
// and with the headers that responses have there.

import type {
  AnonymousRequest,
  AnonymousResponse,
  ChallengeResponse,
  MintRequest,
  MintResponse,
} from '../../../sdk/src/wire.ts'
import type { OpenApiDocument, Operation, Response } from '../http/openapi-types.ts'
import { mintHeadersOf } from './headers.ts'

const accessToken = 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImRlZmF1bHQiLCJ0eXAiOiJKV1QifQ.e30.c2lnbmF0dXJl'
const challenge = '1796000000.16.hVh4t2mWJ0m3cY7d9QxR2A.kq3mB7wZr1nX5sVt8yLp0cDf2gHj4aEi6oUu9TzR1bM'

const minted: MintResponse = {
  access_token: accessToken,
  token_type: 'Bearer',
  project_id: '7f1b3c1e-4d0f-4a53-9a57-2f1e2a6d9c10',
  expires_in: 600,
  session_id: 'support-chat-7',
}
const proof: AnonymousRequest = {
  attestation: { kind: 'proof_of_work', token: `${challenge}.48213` },
  device: 'pO5y8Wm1rTqX2vKc7dZb9A',
}

interface Examples {
  requests?: Record<string, { summary: string; value: object }>
  answer: { summary: string; value: object }
}

const examplesOf: Record<string, Examples> = {
  mintTokenOnProjectHost: {
    requests: {
      plain: { summary: 'A token for one hour', value: { user_id: 'user-42' } satisfies MintRequest },
      tier: {
        summary: 'With a lifetime, a tier and a session',
        value: { user_id: 'user-42', ttl: 600, tier: 'gold', session_id: 'support-chat-7' } satisfies MintRequest,
      },
    },
    answer: { summary: 'Minted', value: minted },
  },
  mintAnonymousToken: {
    requests: { proof: { summary: 'With a proof of work', value: proof } },
    answer: {
      summary: 'Minted',
      value: {
        access_token: accessToken,
        expires_in: 3600,
        uid: 'anon:Zk1pQm9uR3dXc0x2VGhKYQ',
      } satisfies AnonymousResponse,
    },
  },
  getAnonymousChallenge: {
    answer: { summary: 'A challenge', value: { challenge, difficulty: 16 } satisfies ChallengeResponse },
  },
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
  const examples = examplesOf[operation.operationId]
  if (examples === undefined) throw new Error(`${operation.operationId} has no example`)
  return {
    ...operation,
    tags: ['tokens'],
    ...(requestBody === undefined || body === undefined || examples.requests === undefined
      ? {}
      : { requestBody: { ...requestBody, content: { 'application/json': { ...body, examples: examples.requests } } } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(status, response, examples)]),
    ),
  }
}

function describeResponse(status: string, response: Response, { answer }: Examples): Response {
  const content = response.content?.['application/json']
  return {
    ...response,
    headers: { ...mintHeadersOf(status), ...response.headers },
    ...(status === '200' && content !== undefined
      ? { content: { 'application/json': { ...content, examples: { minted: answer } } } }
      : {}),
  }
}
