// What a tenant may send as the configuration of a cloud, and what each wrong field is told.

import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { readAzureCredential } from '../../../src/providers/clouds/azure-credential.ts'
import { readBedrockCredential } from '../../../src/providers/clouds/bedrock-credential.ts'
import { readVertexCredential } from '../../../src/providers/clouds/vertex-credential.ts'

const secret = 'not-for-anybody-to-see'

describe('azure', () => {
  const read = (body: JsonObject) => readAzureCredential(body, 'https://a.example.com')
  const key = { api_version: '2024-10-21', api_key: ` ${secret} ` }
  const entra = {
    api_version: '2024-10-21-preview',
    tenant_id: 'a.example.com',
    client_id: 'c-1',
    client_secret: secret,
  }

  it('has a key, or an application', () => {
    const common = { base_url: 'https://a.example.com' }
    expect(read(key)).toEqual({
      ok: true,
      value: { ...common, api_version: '2024-10-21', auth: { api_key: secret } },
    })
    const { api_version, ...auth } = entra
    expect(read(entra)).toEqual({ ok: true, value: { ...common, api_version, auth } })
  })

  it.each<[JsonObject, string]>([
    [{ ...key, api_version: undefined }, 'api_version is required'],
    [{ ...key, api_version: 'latest' }, 'api_version must be a version of the API such as 2024-10-21'],
    [{ ...key, ...entra }, 'Either api_key or tenant_id, client_id and client_secret is required'],
    [{ ...key, api_key: '' }, 'Either api_key or tenant_id, client_id and client_secret is required'],
    [{ ...entra, client_secret: null }, 'client_secret is required'],
    [{ ...entra, tenant_id: '../x' }, 'tenant_id must be the id or a domain of a directory of Microsoft Entra ID'],
    [{ ...entra, client_id: 'a b' }, 'client_id must be the id of an application'],
    [
      { ...key, api_key: `${secret}\n${secret}` },
      'api_key must be at most 4096 printable ASCII characters without white space',
    ],
  ])('%j: %s', (body, message) => {
    expect(read(body)).toEqual({ ok: false, message })
  })
})

describe('bedrock', () => {
  const allowed = new Set(['/var/run/secrets/token'])
  const read = (body: JsonObject) => readBedrockCredential(body, { webIdentityFiles: allowed })
  const keys = { region: 'us-gov-west-1', access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: secret }
  const role = {
    region: 'eu-central-1',
    role_arn: 'arn:aws:iam::123456789012:role/path/bedrock',
    web_identity_token_file: '/var/run/secrets/token',
  }

  it('has access keys, or a role', () => {
    const { region, ...auth } = keys
    expect(read(keys)).toEqual({ ok: true, value: { region, auth: { ...auth, session_token: null } } })
    expect(read({ ...keys, session_token: 'session' })).toMatchObject({ value: { auth: { session_token: 'session' } } })
    const { region: place, ...assumed } = role
    expect(read(role)).toEqual({ ok: true, value: { region: place, auth: assumed } })
  })

  const either = 'Either access_key_id and secret_access_key or role_arn and web_identity_token_file is required'
  const file = 'web_identity_token_file must be one of the files in WEB_IDENTITY_TOKEN_FILES of the server'
  it.each<[JsonObject, string]>([
    [{ ...keys, region: 'us-east-1.evil.com/' }, 'region must be a region of AWS such as us-east-1'],
    [{ ...keys, region: 'localhost' }, 'region must be a region of AWS such as us-east-1'],
    [{ region: 'us-east-1' }, either],
    [{ ...keys, ...role }, either],
    [
      { ...keys, access_key_id: 'AKIA/x' },
      'access_key_id must be the id of an access key, 16 to 128 letters and digits',
    ],
    [{ ...keys, secret_access_key: undefined }, 'secret_access_key is required'],
    [{ ...role, role_arn: 'bedrock' }, 'role_arn must be the ARN of a role, arn:aws:iam::<account>:role/<name>'],
    [{ ...role, web_identity_token_file: '/etc/passwd' }, file],
    [{ ...role, web_identity_token_file: '/var/run/secrets/../secrets/token' }, file],
    [{ ...role, web_identity_token_file: undefined }, file],
    [{ ...role, web_identity_token_file: ['/var/run/secrets/token'] }, file],
  ])('%j: %s', (body, message) => {
    expect(read(body)).toEqual({ ok: false, message })
  })
})

describe('vertex', () => {
  const pem = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const account = {
    project_id: 'my-project',
    private_key_id: 'abc',
    private_key: pem(2048),
    client_email: 'me@my-project.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  }
  const file = { type: 'service_account', ...account, universe_domain: 'googleapis.com' }
  const body = { location: 'europe-west4', service_account: file }
  const shape = 'service_account must be the JSON key of a service account'
  const keep = { location: 'europe-west4', service_account: { ...account, private_key: account.private_key.trim() } }

  it('has the JSON key, as an object or as text, of which it keeps what is used', () => {
    expect(readVertexCredential(body)).toEqual({ ok: true, value: keep })
    expect(readVertexCredential({ ...body, service_account: JSON.stringify(file) })).toEqual({ ok: true, value: keep })
  })

  it.each(['global', 'us', 'eu', 'us-central1', 'northamerica-northeast2'])('has the location %s', location => {
    expect(readVertexCredential({ ...body, location })).toMatchObject({ value: { location } })
  })

  it.each<[string, JsonObject, string]>([
    [
      'location',
      { location: 'evil.com/' },
      'location must be global, us, eu or a region of Google Cloud such as europe-west4',
    ],
    ['absent key', { service_account: undefined }, 'service_account is required'],
    ['text', { service_account: '{' }, shape],
    ['other type', { service_account: { ...file, type: 'authorized_user' } }, shape],
    [
      'project',
      { service_account: { ...file, project_id: '../x' } },
      'service_account.project_id must be the id of a project',
    ],
    [
      'token_uri',
      { service_account: { ...file, token_uri: 'file:///etc/passwd' } },
      'service_account.token_uri must be an https: address',
    ],
    [
      'weak key',
      { service_account: { ...file, private_key: pem(1024) } },
      'service_account.private_key must be an unencrypted RSA key of 2048 bits or more',
    ],
    [
      'no key',
      { service_account: { ...file, private_key: secret } },
      'service_account.private_key must be an unencrypted RSA key of 2048 bits or more',
    ],
  ])('rejects a wrong %s', (_, fields, message) => {
    expect(readVertexCredential({ ...body, ...fields })).toEqual({ ok: false, message })
  })
})
