// How requests to the clouds are authorised: tokens and credentials from scripted issuers over real connections, what
// is sent to them, and what their errors become.

import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/log/log.ts'
import { createOutbound, type Outbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { azure } from '../../../src/providers/azure.ts'
import { bedrock } from '../../../src/providers/bedrock.ts'
import type { CloudTools } from '../../../src/providers/clouds/cloud-tools.ts'
import { createTokenCache } from '../../../src/providers/clouds/token-cache.ts'
import { checkKey } from '../../../src/providers/models/check-key.ts'
import type { AuthorisationTools, CallAdapter } from '../../../src/providers/provider-adapter.ts'
import { vertex } from '../../../src/providers/vertex.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'

const tokenFile = '/var/run/secrets/token'
const secret = 'never-to-be-shown'

let upstream: ScriptedUpstream
let outbound: Outbound
let clouds: CloudTools
let time: number

beforeAll(async () => {
  upstream = await startUpstream()
  outbound = createOutbound({ allow: parseOutboundAllow(upstream.host), log: createLog({ level: 'silent' }) })
})
afterAll(async () => {
  await outbound.close()
  await upstream.close()
})
beforeEach(() => {
  upstream.reset()
  time = Date.parse('2026-03-01T12:00:00Z')
  clouds = {
    tokens: createTokenCache(() => time),
    azureAuthority: `${upstream.url}/authority/`,
    stsEndpoint: `${upstream.url}/`,
    webIdentityFiles: new Set([tokenFile]),
    readFile: async path => `content of ${path}\n`,
  }
})

const tools = (tenantId = 'tenant-1'): AuthorisationTools => ({ outbound, now: () => time, clouds, tenantId })
const request = { method: 'POST', url: 'https://cloud.example.com/model/a%3A0/converse', body: '{}' } as const
const authorise = async (adapter: CallAdapter, credential: object, tenantId?: string) =>
  await adapter.authorise(JSON.stringify(credential), request, tools(tenantId))
const check = (adapter: CallAdapter, credential: object) =>
  checkKey({
    ...tools(),
    outbound,
    tenantId: 'tenant-1',
    adapter,
    ...(adapter.placeOf?.(JSON.stringify(credential), upstream.url) ?? { baseUrl: upstream.url }),
    credential: JSON.stringify(credential),
    guard: 'tenant',
    timeoutMs: 5000,
  })
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))

describe('azure', () => {
  const place = { base_url: 'https://a.example.com/openai/', api_version: '2024-10-21' }
  const entra = { ...place, auth: { tenant_id: 'directory', client_id: 'app', client_secret: secret } }
  const issuer = 'POST /authority/directory/oauth2/v2.0/token'

  it('sends a key in its own header', async () => {
    expect(await authorise(azure, { ...place, auth: { api_key: secret } })).toEqual({ 'api-key': secret })
  })

  it('asks below the address, or below its override', () => {
    const credential = JSON.stringify(entra)
    const query = { 'api-version': '2024-10-21' }
    expect(azure.placeOf?.(credential, null)).toEqual({ baseUrl: 'https://a.example.com/openai', query })
    expect(azure.placeOf?.(credential, 'https://b.example.com')).toEqual({
      baseUrl: 'https://b.example.com/openai',
      query,
    })
  })

  it('exchanges the secret of an application for a token, once an hour', async () => {
    let count = 0
    upstream.on(issuer, () => ({ body: { access_token: `token-${++count}`, expires_in: 3599, token_type: 'Bearer' } }))
    expect(await authorise(azure, entra)).toEqual({ authorization: 'Bearer token-1' })
    expect(await authorise(azure, entra)).toEqual({ authorization: 'Bearer token-1' })
    expect(formOf(upstream.requests[0]?.body ?? '')).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: secret,
      scope: 'https://cognitiveservices.azure.com/.default',
    })
    time += 3_600_000
    expect(await authorise(azure, entra)).toEqual({ authorization: 'Bearer token-2' })
  })

  it.each([
    [400, { error: 'invalid_client', error_description: `no ${secret}` }, 'auth', 'invalid_client'],
    [429, { error: 'slow_down' }, 'rate_limit', 'slow_down'],
    [503, 'down', 'server_error', null],
    [200, { access_token: 'a' }, 'malformed', 'token_response'],
    [200, { access_token: 'a\nb', expires_in: 5 }, 'malformed', 'token_response'],
  ])('an issuer that answers %i %j', async (status, body, errorClass, code) => {
    upstream.on(issuer, () => ({ status, body }))
    const failure = await authorise(azure, entra).catch((error: unknown) => error)
    expect(failure).toMatchObject({ error: { class: errorClass, code, message: null } })
    expect(JSON.stringify(failure)).not.toContain(secret)
  })

  it('is checked by the list of models, with the version of the API', async () => {
    upstream.on('GET /openai/models', ({ headers, query }) => ({
      status: headers['api-key'] === secret && query['api-version'] === '2024-10-21' ? 200 : 401,
      body: { data: [] },
    }))
    expect(await check(azure, { ...place, auth: { api_key: secret } })).toBe('valid')
    expect(await check(azure, { ...place, auth: { api_key: 'other' } })).toBe('invalid_key')
  })
})

describe('vertex', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const account = () => ({
    location: 'europe-west4',
    service_account: {
      project_id: 'my-project',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'me@my-project.iam.gserviceaccount.com',
      token_uri: `${upstream.url}/token`,
    },
  })

  it.each([
    ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com'],
    ['global', 'https://aiplatform.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
  ])('asks %s at its own host', (location, host) => {
    const credential = JSON.stringify({ ...account(), location })
    const path = `/v1/projects/my-project/locations/${location}`
    expect(vertex.placeOf?.(credential, null)).toEqual({ baseUrl: host + path })
    expect(vertex.placeOf?.(credential, 'https://private.example/v1')).toEqual({
      baseUrl: `https://private.example${path}`,
    })
  })

  it('exchanges an assertion for a token, and is checked by that', async () => {
    upstream.on('POST /token', ({ body }) =>
      formOf(body)['assertion']?.split('.').length === 3
        ? { body: { access_token: 'ya29.token', expires_in: 3599 } }
        : { status: 400, body: { error: 'invalid_grant' } },
    )
    expect(await authorise(vertex, account())).toEqual({ authorization: 'Bearer ya29.token' })
    expect(await check(vertex, account())).toBe('valid')
    upstream.on('POST /token', () => ({ status: 400, body: { error: 'invalid_grant' } }))
    expect(await check(vertex, account())).toBe('invalid_key')
  })

  it('does not ask an address that the rules for tenants forbid', async () => {
    const credential = account()
    credential.service_account.token_uri = 'http://127.0.0.1:1/token'
    await expect(authorise(vertex, credential)).rejects.toMatchObject({ kind: 'blocked' })
  })
})

describe('bedrock', () => {
  const keys = {
    region: 'us-east-1',
    auth: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: secret, session_token: 'session' },
  }
  const role = {
    region: 'eu-central-1',
    auth: { role_arn: 'arn:aws:iam::123456789012:role/a', web_identity_token_file: tokenFile },
  }
  const assumed = (expiresAt: number) => `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>
    <Credentials><SessionToken>assumed-session</SessionToken><SecretAccessKey>assumed-secret</SecretAccessKey>
    <Expiration>${new Date(expiresAt).toISOString()}</Expiration><AccessKeyId>ASIAASSUMED</AccessKeyId></Credentials>
    </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`

  it('asks the region, or an override', () => {
    const placeFor = (region: string, override: string | null = null) =>
      bedrock.placeOf?.(JSON.stringify({ ...keys, region }), override)
    expect(placeFor('us-east-1')).toEqual({ baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com' })
    expect(placeFor('cn-north-1')).toEqual({ baseUrl: 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn' })
    expect(placeFor('us-east-1', 'https://private.example')).toEqual({ baseUrl: 'https://private.example' })
  })

  it('signs every request for its region', async () => {
    const headers = await authorise(bedrock, keys)
    expect(headers['x-amz-security-token']).toBe('session')
    expect(headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20260301\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    )
  })

  it('assumes a role in the name of the tenant, once until its credentials expire', async () => {
    upstream.on('POST /', () => ({ body: assumed(time + 3_600_000), headers: { 'content-type': 'text/xml' } }))
    const headers = await authorise(bedrock, role)
    expect(headers['x-amz-security-token']).toBe('assumed-session')
    expect(headers['authorization']).toContain('Credential=ASIAASSUMED/20260301/eu-central-1/bedrock/')
    await authorise(bedrock, role)
    expect(upstream.requests).toHaveLength(1)
    expect(formOf(upstream.requests[0]?.body ?? '')).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role.auth.role_arn,
      RoleSessionName: 'tenant-1',
      WebIdentityToken: `content of ${tokenFile}`,
      DurationSeconds: '3600',
    })
    // Another tenant may name the same role: AWS decides by the name of its session.
    await authorise(bedrock, role, 'tenant-2')
    expect(formOf(upstream.requests[1]?.body ?? '')['RoleSessionName']).toBe('tenant-2')
    time += 3_600_000
    await authorise(bedrock, role)
    expect(upstream.requests).toHaveLength(3)
  })

  it('is refused by STS with its code', async () => {
    const error = '<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>No</Message></Error></ErrorResponse>'
    upstream.on('POST /', () => ({ status: 400, body: error }))
    await expect(authorise(bedrock, role)).rejects.toMatchObject({
      error: { class: 'auth', code: 'InvalidIdentityToken' },
    })
    upstream.on('POST /', () => ({ body: '<AccessKeyId>a</AccessKeyId>' }))
    await expect(authorise(bedrock, role)).rejects.toMatchObject({ error: { code: 'token_response' } })
  })

  it('never reads a file that the operator does not allow, or no longer allows', async () => {
    const read: string[] = []
    clouds = { ...clouds, webIdentityFiles: new Set(), readFile: async path => String(read.push(path)) }
    await expect(authorise(bedrock, role)).rejects.toMatchObject({ error: { code: 'token_file_not_allowed' } })
    expect(read).toEqual([])
    expect(upstream.requests).toEqual([])
  })

  it('says in the log that a file cannot be read', async () => {
    clouds = { ...clouds, readFile: () => Promise.reject(new Error('ENOENT')) }
    await expect(authorise(bedrock, role)).rejects.toMatchObject({ error: { code: 'token_file_not_readable' } })
  })

  it('is checked by its identity', async () => {
    upstream.on('GET /', ({ headers, query }) => ({
      status: String(headers['authorization']).includes('/us-east-1/sts/') && query['Action'] ? 200 : 403,
      body: '<GetCallerIdentityResponse/>',
    }))
    expect(await check(bedrock, keys)).toBe('valid')
    upstream.on('GET /', () => ({ status: 403, body: '<ErrorResponse/>' }))
    expect(await check(bedrock, keys)).toBe('invalid_key')
  })
})
