// Serves the public keys that verify minted tokens: the current one, and those still accepted during a rotation.

import { z } from 'zod'
import { keySetDocument, keySetHeaders, type PublicJwk } from '../../crypto/keys/signing-key.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'

const keySchema = z.object({
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('RS256'),
})

export function keySetRoutes({ signingKey }: ManagementDependencies, previousKeys: readonly PublicJwk[]): Route[] {
  const document = keySetDocument(signingKey, previousKeys)
  return [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      operation: 'getKeySet',
      summary: 'Get the key set (JWKS) that verifies minted tokens',
      credential: 'none',
      owner: 'none',
      answers: { 200: z.object({ keys: z.array(keySchema) }) },
      async handle() {
        return { status: 200, body: document, headers: keySetHeaders }
      },
    }),
  ]
}
