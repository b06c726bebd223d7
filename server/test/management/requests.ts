// What the management tests send and expect beside the harness: requests under a project's host name, refusals in the
// table's words, minted tokens held against the published key set.
import { request } from 'node:http'
import { createLocalJWKSet, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose'
import { expect } from 'vitest'
import type { Answer, ManagementHarness } from '../support/management-harness.ts'

export const unknownId = '5b0e1c1c-7d0e-4a55-9a51-0d6f3d2f7a11'
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Words of a refusal, or the whole envelope where there is more than words. */
export type Words = string | { error: string; code?: string; retryable?: boolean; upgrade_url?: string }

export function expectRefusal(answer: Answer, status: number, words: Words): void {
  const envelope = typeof words === 'string' ? { error: words } : words
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: envelope })
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
}

export function expectOk<Body = Record<string, unknown>>(answer: Answer, status = 200): Body {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
  return answer.body as Body
}

export interface Minted {
  access_token: string
  token_type: string
  project_id: string
  expires_in: number
  session_id?: string
}

export interface HostCall {
  host: string
  path: string
  apiKey?: string
  body?: unknown
}

/** fetch cannot name another host than the one it connects to. */
export function callHost(plane: ManagementHarness, { host, path, apiKey, body }: HostCall): Promise<HostAnswer> {
  const sent = JSON.stringify(body ?? {})
  const headers = {
    host: `${host}:${plane.product.port}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(sent),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: plane.product.port, path, method: 'POST', headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    call.on('error', reject)
    call.end(sent)
  })
}

export interface HostAnswer {
  status: number
  body: unknown
}

/** The token's own words, after its signature, issuer and audience were held against what the product publishes. */
export async function verifyMinted(
  plane: ManagementHarness,
  token: string,
  { issuer = `http://localhost:${plane.product.port}`, audience = 'service' } = {},
): Promise<{ claims: JWTPayload; header: ProtectedHeaderParameters }> {
  const keySet = await plane.call('GET', '/.well-known/jwks.json')
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(expectOk<{ keys: [] }>(keySet)), {
    issuer,
    audience,
    algorithms: ['RS256'],
    typ: 'JWT',
  })
  return { claims: payload, header: protectedHeader }
}

export const mintPath = '/auth/v1/auth/mint'

export function mint(plane: ManagementHarness, apiKey: string, body: unknown = { user_id: 'user-1' }): Promise<Answer> {
  return plane.call('POST', mintPath, { apiKey, body })
}

export function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}
