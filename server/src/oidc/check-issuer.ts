// Tries an issuer step by step, as the set-up of single sign-on shows it: what works, what does not, and what to do.

import * as oauth from 'oauth4webapi'
import type { Outbound } from '../outbound/outbound.ts'
import {
  authenticate,
  discover,
  type IssuerConnection,
  lists,
  optionsFor,
  type RequestOptions,
} from './issuer-client.ts'
import { asIssuerFailure, type IssuerFailure } from './issuer-failure.ts'

export const issuerChecks = ['discovery', 'code_flow', 'keys', 'client', 'refresh'] as const

export interface IssuerCheck {
  name: (typeof issuerChecks)[number]
  /** `warning`: sign-in works, with a limit. `skipped`: an earlier check failed, or there is nothing to check with. */
  outcome: 'passed' | 'failed' | 'warning' | 'skipped'
  detail: string
}

/** What is to be tried; without a client only what anybody may read. */
export type TriedConnection = Pick<IssuerConnection, 'issuer' | 'guard' | 'tenantId'> & {
  client: { id: string; secret: string } | null
}

export async function checkIssuer(
  outbound: Outbound,
  { issuer, guard, tenantId, client }: TriedConnection,
  redirectUri: string,
): Promise<IssuerCheck[]> {
  const options = optionsFor(outbound, tenantId === undefined ? { guard } : { guard, tenantId })
  let server: oauth.AuthorizationServer
  try {
    server = await discover(issuer, options)
  } catch (error) {
    const failed = { name: 'discovery', outcome: 'failed', detail: wordsFor(asIssuerFailure(error)) } as const
    return [failed, ...issuerChecks.slice(1).map(name => ({ name, outcome: 'skipped' as const, detail: '' }))]
  }
  return [
    { name: 'discovery', outcome: 'passed', detail: `The issuer calls itself ${server.issuer.slice(0, 300)}` },
    checkCodeFlow(server),
    await checkKeys(server, options),
    client === null
      ? { name: 'client', outcome: 'skipped', detail: 'Give a client id and its secret to try them' }
      : await checkClient(server, client, redirectUri, options),
    checkRefresh(server),
  ]
}

function wordsFor({ kind, reason }: IssuerFailure): string {
  if (reason === oauth.JSON_ATTRIBUTE_COMPARISON) {
    return 'The document names another issuer. Use the value of its field "issuer", character by character.'
  }
  if (kind === 'unreachable') return `The discovery document could not be fetched (${reason}). Check the address.`
  return `There is no discovery document below this address (${reason}). Leave out /.well-known/openid-configuration.`
}

function checkCodeFlow(server: oauth.AuthorizationServer): IssuerCheck {
  const lacks = [
    server.authorization_endpoint === undefined && 'authorization_endpoint',
    server.token_endpoint === undefined && 'token_endpoint',
    server.jwks_uri === undefined && 'jwks_uri',
    !lists(server.response_types_supported ?? ['code'], 'code') && 'the response type code',
  ].filter(name => name !== false)
  if (lacks.length > 0) {
    return { name: 'code_flow', outcome: 'failed', detail: `The issuer does not offer ${lacks.join(', ')}.` }
  }
  const hasPkce = lists(server.code_challenge_methods_supported, 'S256')
  return hasPkce
    ? { name: 'code_flow', outcome: 'passed', detail: 'Code flow with PKCE' }
    : { name: 'code_flow', outcome: 'warning', detail: 'The issuer does not say that it checks PKCE.' }
}

async function checkKeys(server: oauth.AuthorizationServer, options: RequestOptions): Promise<IssuerCheck> {
  const failed = (detail: string): IssuerCheck => ({ name: 'keys', outcome: 'failed', detail })
  if (server.jwks_uri === undefined) return { name: 'keys', outcome: 'skipped', detail: '' }
  const signs: unknown = server.id_token_signing_alg_values_supported ?? ['RS256']
  if (!Array.isArray(signs) || !signs.some(name => /^(?:RS|PS|ES)\d|^Ed/.test(String(name)))) {
    return failed('The issuer signs ID tokens with no algorithm that has a public key. Choose RS256.')
  }
  try {
    const method = { method: 'GET', headers: { accept: 'application/json' } }
    const response = await options[oauth.customFetch](server.jwks_uri, method)
    const body: unknown = await response.json()
    const keys = typeof body === 'object' && body !== null && 'keys' in body ? body.keys : null
    if (Array.isArray(keys) && keys.length > 0) {
      return { name: 'keys', outcome: 'passed', detail: `${keys.length} public keys` }
    }
  } catch (error) {
    if (error instanceof SyntaxError) return failed('The key set is no JSON.')
    return failed(`The key set could not be fetched (${asIssuerFailure(error).reason}).`)
  }
  return failed('The key set has no keys.')
}

/** A code that nobody issued: an issuer that knows the client and its secret rejects the code, not the client. */
async function checkClient(
  server: oauth.AuthorizationServer,
  { id, secret }: { id: string; secret: string },
  redirectUri: string,
  options: RequestOptions,
): Promise<IssuerCheck> {
  const client = { client_id: id }
  try {
    const given = oauth.validateAuthResponse(server, client, probeOf(server), 'probe')
    const auth = authenticate(server, secret)
    const verifier = oauth.generateRandomCodeVerifier()
    const request = oauth.authorizationCodeGrantRequest
    const response = await request(server, client, auth, given, redirectUri, verifier, options)
    await oauth.processAuthorizationCodeResponse(server, client, response)
  } catch (error) {
    const { kind, reason } = asIssuerFailure(error)
    if (kind === 'refused' && reason === 'invalid_grant') {
      return { name: 'client', outcome: 'passed', detail: 'The issuer knows the client and its secret' }
    }
    const detail =
      kind === 'unreachable'
        ? `The token endpoint could not be reached (${reason}).`
        : `The issuer rejects the client (${reason}). Check client id, secret and the redirect URI ${redirectUri}.`
    return { name: 'client', outcome: 'failed', detail }
  }
  return { name: 'client', outcome: 'failed', detail: 'The issuer accepts a code that it never issued.' }
}

function probeOf(server: oauth.AuthorizationServer): URLSearchParams {
  return new URLSearchParams({ code: 'sallyport-checks-the-client', state: 'probe', iss: server.issuer })
}

function checkRefresh(server: oauth.AuthorizationServer): IssuerCheck {
  const offers =
    lists(server.scopes_supported, 'offline_access') || lists(server.grant_types_supported, 'refresh_token')
  return offers
    ? { name: 'refresh', outcome: 'passed', detail: 'Sessions are checked again each hour' }
    : { name: 'refresh', outcome: 'warning', detail: 'Without refresh tokens a session lasts up to 12 hours.' }
}
