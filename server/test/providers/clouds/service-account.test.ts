// The assertion of a service account, verified with its public key.

import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { assertionForm } from '../../../src/providers/clouds/service-account.ts'

it('is signed by the key and names the account, the scope and the endpoint', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const account = {
    project_id: 'my-project',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'me@my-project.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  }
  const { grant_type, assertion = '' } = assertionForm(account, 1_700_000_000_999)
  expect(grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
  expect(decode(claims)).toEqual({
    iss: account.client_email,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: account.token_uri,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  })
  const text = Buffer.from(`${header}.${claims}`)
  expect(verify('RSA-SHA256', text, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
})
