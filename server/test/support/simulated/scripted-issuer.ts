// An OpenID Connect issuer on loopback that says what a test wants it to say. It checks what a real one checks: the
// client and its secret, PKCE, that a code works once and a refresh token belongs to somebody. Asks nobody anything.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface IssuerPerson {
  sub: string
  email?: string
  email_verified?: boolean
  [claim: string]: unknown
}

export interface ScriptedIssuer {
  url: string
  /** `127.0.0.1:port`, for OUTBOUND_ALLOW. */
  host: string
  client: { client_id: string; client_secret: string }
  /** Whom the next authorization signs in. */
  person: IssuerPerson
  /** Claims in place of those that the ID token should have. */
  lies: Record<string, unknown>
  /** In place of the ID token. */
  forge: ((claims: Record<string, unknown>) => string | Promise<string>) | null
  isDown: boolean
  /** What the last authorization asked for. */
  asked: URLSearchParams
  /** People whose refresh tokens are rejected. */
  revoked: Set<string>
  publicKey: CryptoKey
  /** An ID token with the issuer's own key. */
  sign(claims: Record<string, unknown>): Promise<string>
  stop(): Promise<void>
}

interface Grant {
  person: IssuerPerson
  /** The client that asked for it, whom the ID token is for. */
  clientId: string
  nonce: string | null
  challenge: string
}

/** What an issuer keeps besides what a test scripts. */
interface Running {
  issuer: ScriptedIssuer
  jwk: object
  codes: Map<string, Grant>
  refreshTokens: Map<string, IssuerPerson>
}

export async function startIssuer(): Promise<ScriptedIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer((request, response) => {
    void answer(running, request, response).catch(error => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer: ScriptedIssuer = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    client: { client_id: 'sallyport', client_secret: 'a secret with = & and +' },
    person: { sub: 'nobody' },
    lies: {},
    forge: null,
    isDown: false,
    asked: new URLSearchParams(),
    revoked: new Set(),
    publicKey,
    sign: claims => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const running: Running = { issuer, jwk, codes: new Map(), refreshTokens: new Map() }
  return issuer
}

async function answer(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { issuer, jwk } = running
  const { pathname, searchParams } = new URL(request.url ?? '/', issuer.url)
  if (issuer.isDown) return void response.writeHead(503).end()
  if (pathname === '/.well-known/openid-configuration') return reply(response, 200, describe(issuer.url))
  if (pathname === '/keys') return reply(response, 200, { keys: [jwk] })
  if (pathname === '/authorize') return authorize(running, searchParams, response)
  if (pathname === '/token') return await grant(running, await readForm(request), response)
  reply(response, 404, {})
}

function authorize({ issuer, codes }: Running, query: URLSearchParams, response: ServerResponse): void {
  issuer.asked = query
  const code = randomBytes(16).toString('hex')
  codes.set(code, {
    person: issuer.person,
    clientId: query.get('client_id') ?? '',
    nonce: query.get('nonce'),
    challenge: query.get('code_challenge') ?? '',
  })
  const back = new URL(query.get('redirect_uri') ?? '')
  back.searchParams.set('code', code)
  back.searchParams.set('state', query.get('state') ?? '')
  response.writeHead(302, { location: back.href }).end()
}

async function grant(running: Running, form: URLSearchParams, response: ServerResponse): Promise<void> {
  const { client_id, client_secret } = running.issuer.client
  if (form.get('client_id') !== client_id || form.get('client_secret') !== client_secret) {
    return reply(response, 401, { error: 'invalid_client' })
  }
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const granted = isRefresh ? findRefreshed(running, form) : takeCode(running, form)
  if (granted === undefined) return reply(response, 400, { error: 'invalid_grant' })
  const refreshToken = randomBytes(16).toString('hex')
  running.refreshTokens.set(refreshToken, granted.person)
  reply(response, 200, {
    access_token: randomBytes(16).toString('hex'),
    token_type: 'Bearer',
    expires_in: 300,
    refresh_token: refreshToken,
    id_token: await idToken(running, granted),
  })
}

function takeCode({ codes }: Running, form: URLSearchParams): Grant | undefined {
  const code = form.get('code') ?? ''
  const granted = codes.get(code)
  codes.delete(code)
  const digest = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  return granted?.challenge === digest ? granted : undefined
}

function findRefreshed({ issuer, refreshTokens }: Running, form: URLSearchParams): Grant | undefined {
  const person = refreshTokens.get(form.get('refresh_token') ?? '')
  refreshTokens.delete(form.get('refresh_token') ?? '')
  if (person === undefined || issuer.revoked.has(person.sub)) return undefined
  return { person, clientId: issuer.client.client_id, nonce: null, challenge: '' }
}

async function idToken({ issuer }: Running, { person, clientId, nonce }: Grant): Promise<string> {
  const at = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer.url,
    aud: clientId,
    iat: at,
    exp: at + 300,
    auth_time: at,
    ...(nonce === null ? {} : { nonce }),
    ...person,
    ...issuer.lies,
  }
  if (issuer.forge !== null) return await issuer.forge(claims)
  return await issuer.sign(claims)
}

function describe(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return new URLSearchParams(text)
}
