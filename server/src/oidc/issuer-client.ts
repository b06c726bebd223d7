// Signs people in at an OpenID Connect issuer: code flow with PKCE, state and nonce, a signed ID token, and the refresh
// token by which the issuer is asked later whether the person may still sign in.

import * as oauth from 'oauth4webapi'
import type { Claims } from '../domain/access/single-sign-on.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { asIssuerFailure, IssuerFailure } from './issuer-failure.ts'
import { type FetchGuard, fetchThrough } from './outbound-fetch.ts'

/** After which time the issuer is asked again whether the user of a session may still sign in. */
export const recheckMs = 60 * 60_000

export interface IssuerConnection extends FetchGuard {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Binds a sign-in to the browser that began it. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

export interface Asked {
  /** The issuer is to ask the person again. */
  isFresh: boolean
  /** Names of claims. */
  wanted: readonly string[]
}

export interface SignedIn {
  issuer: string
  subject: string
  claims: Claims
  /** When the person authenticated, in milliseconds; null if the issuer does not say. */
  authenticatedAt: number | null
  refreshToken: string | null
}

export interface IssuerClient {
  /** Where the browser is sent. */
  authorizationUrl(secrets: SignInSecrets, redirectUri: string, asked: Asked): Promise<string>
  /** `wanted` names claims that the issuer may keep out of the ID token. */
  exchange(
    callback: URLSearchParams,
    secrets: SignInSecrets,
    redirectUri: string,
    wanted: readonly string[],
  ): Promise<SignedIn>
  /** Returns the next refresh token. Throws `refused` if the person may not sign in any more. */
  refresh(refreshToken: string, subject: string): Promise<string>
}

/** All methods throw IssuerFailure. */
export function createIssuerClient(outbound: Outbound, connection: IssuerConnection): IssuerClient {
  const { clientId, clientSecret, guard, tenantId } = connection
  const client: oauth.Client = { client_id: clientId }
  const options = optionsFor(outbound, tenantId === undefined ? { guard } : { guard, tenantId })

  return {
    authorizationUrl: (secrets, redirectUri, asked) =>
      attempt(async () => {
        const server = await discover(connection.issuer, options)
        return await buildAuthorizationUrl(server, { ...asked, clientId, redirectUri }, secrets)
      }),

    exchange: (callback, { state, nonce, verifier }, redirectUri, wanted) =>
      attempt(async () => {
        const server = await discover(connection.issuer, options)
        const given = oauth.validateAuthResponse(server, client, callback, state)
        const auth = authenticate(server, clientSecret)
        const request = oauth.authorizationCodeGrantRequest
        const response = await request(server, client, auth, given, redirectUri, verifier, options)
        const rules = { expectedNonce: nonce, requireIdToken: true }
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, rules)
        await oauth.validateApplicationLevelSignature(server, response, options)
        const claims = getIdClaims(tokens)
        const lacks = wanted.some(name => claims[name] === undefined) && server.userinfo_endpoint !== undefined
        const more = lacks ? await askUserInfo(server, client, tokens.access_token, claims.sub, options) : {}
        return describe(claims, more, tokens.refresh_token)
      }),

    refresh: (refreshToken, subject) =>
      attempt(async () => {
        const server = await discover(connection.issuer, options)
        const auth = authenticate(server, clientSecret)
        const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options)
        const tokens = await oauth.processRefreshTokenResponse(server, client, response)
        if (tokens.id_token !== undefined) {
          await oauth.validateApplicationLevelSignature(server, response, options)
          if (getIdClaims(tokens).sub !== subject) throw new IssuerFailure('refused', 'other_subject')
        }
        return tokens.refresh_token ?? refreshToken
      }),
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asIssuerFailure(error)
  }
}

export type RequestOptions = ReturnType<typeof optionsFor>

/** The outbound client decides where plain http may go. */
export function optionsFor(outbound: Outbound, guard: FetchGuard) {
  return { [oauth.customFetch]: fetchThrough(outbound, guard), [oauth.allowInsecureRequests]: true } as const
}

export async function discover(issuer: string, options: RequestOptions): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer)
  return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options))
}

/** What an issuer writes may be anything. */
export function lists(list: unknown, value: string): boolean {
  return Array.isArray(list) && list.includes(value)
}

/** In the body if the issuer lists that: fewer issuers get its escapes wrong. */
export function authenticate(server: oauth.AuthorizationServer, clientSecret: string): oauth.ClientAuth {
  return lists(server.token_endpoint_auth_methods_supported, 'client_secret_post')
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

interface AskedOfIssuer extends Asked {
  clientId: string
  redirectUri: string
}

async function buildAuthorizationUrl(
  server: oauth.AuthorizationServer,
  { clientId, redirectUri, isFresh, wanted }: AskedOfIssuer,
  { state, nonce, verifier }: SignInSecrets,
): Promise<string> {
  const url = URL.parse(server.authorization_endpoint ?? '')
  const isAddress = url?.protocol === 'https:' || (url?.protocol === 'http:' && server.issuer.startsWith('http:'))
  if (url === null || !isAddress) throw new IssuerFailure('invalid', 'authorization_endpoint')
  // Issuers that know no such scope may reject the request. Some have a scope for a claim of the same name.
  const more = ['offline_access', ...wanted].filter(name => lists(server.scopes_supported, name))
  const scopes = new Set(['openid', 'email', 'profile', ...more])
  const asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: [...scopes].join(' '),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isFresh ? { prompt: 'login' } : {}),
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

function getIdClaims(tokens: oauth.TokenEndpointResponse): oauth.IDToken {
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (claims === undefined) throw new IssuerFailure('invalid', 'id_token')
  return claims
}

async function askUserInfo(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  accessToken: string,
  subject: string,
  options: RequestOptions,
): Promise<Claims> {
  const response = await oauth.userInfoRequest(server, client, accessToken, options)
  return await oauth.processUserInfoResponse(server, client, subject, response)
}

const maxSubject = 255

function describe(claims: oauth.IDToken, more: Claims, refreshToken: string | undefined): SignedIn {
  const { sub: subject, iss: issuer, auth_time: authTime } = claims
  if (subject === '' || subject.length > maxSubject || !subject.isWellFormed() || subject.includes('\0')) {
    throw new IssuerFailure('invalid', 'sub')
  }
  // An email and whether it is verified come from the same answer.
  const { email, email_verified, xms_edov } = claims['email'] === undefined ? more : claims
  return {
    issuer,
    subject,
    claims: { ...more, ...claims, email, email_verified, xms_edov },
    authenticatedAt: authTime === undefined ? null : authTime * 1000,
    refreshToken: refreshToken ?? null,
  }
}
