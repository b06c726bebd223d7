// Google service accounts: signs the assertion that is exchanged for an access token.

import { sign } from 'node:crypto'
import { findRsaPrivateKey } from '../../crypto/keys/signing-key.ts'
import type { JsonObject } from '../../domain/json-object.ts'

/** The members of the JSON key that are used, by their names in it. */
export interface ServiceAccount {
  project_id: string
  private_key_id: string
  private_key: string
  client_email: string
  token_uri: string
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const assertionSeconds = 3600

/** The form for the endpoint that `token_uri` names. */
export function assertionForm(account: ServiceAccount, now: number): Record<string, string> {
  const key = findRsaPrivateKey(account.private_key)
  if (key === null) throw new Error('the private key of a stored service account is not readable')
  const issuedAt = Math.floor(now / 1000)
  const text = [
    { alg: 'RS256', typ: 'JWT', kid: account.private_key_id },
    { iss: account.client_email, scope, aud: account.token_uri, iat: issuedAt, exp: issuedAt + assertionSeconds },
  ]
    .map(encode)
    .join('.')
  const signature = sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${text}.${signature}` }
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
