// Identifies the caller: reads the credential, verifies it, and checks that it belongs to the project of the request's
// host.

import { apiKeyHint } from '../../crypto/secrets/credentials.ts'
import type { TokenError } from '../../crypto/token-form.ts'
import type { TokenVerdict, TokenVerifier, VerifiedToken } from '../../crypto/tokens/token-verifier.ts'
import { brand } from '../../domain/brand.ts'
import type { Verified } from '../../domain/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { PlaneRequest } from '../../http/exchange.ts'
import type { DiagnosticNotes } from '../diagnostics.ts'
import type { ProjectConfig } from '../project-config.ts'
import type { ExternalProviders } from './external-providers.ts'

export type Authenticate = (
  request: PlaneRequest,
  requestId: string,
  config: ProjectConfig,
  acceptsApiKeyHeader: boolean,
) => Verified | Promise<Verified>

const scheme = 'Bearer '
const apiKeyPrefix = `${brand}_sk_`
const noScopes: readonly string[] = Object.freeze([])

export function createAuthenticate(
  verifier: TokenVerifier,
  externals: ExternalProviders,
  diagnostics: Pick<DiagnosticNotes, 'note' | 'noteToken'>,
): Authenticate {
  function conclude(
    verdict: TokenVerdict,
    credential: string,
    request: PlaneRequest,
    requestId: string,
    config: ProjectConfig,
  ): Verified | Promise<never> {
    if (verdict.outcome === 'verified') return describeCaller(verdict.token, request, requestId, config)
    if (verdict.outcome === 'unavailable') throw new Refusal('key_set_unavailable')
    return refuseToken(verdict.error, credential, config)
  }

  /**
   * An unknown kid may be valid if the key set of the project's external provider is unavailable: 503 instead of 401.
   */
  async function refuseToken(error: TokenError, credential: string, config: ProjectConfig): Promise<never> {
    if (error === 'expired') throw new Refusal('token_expired')
    const mayBeExternal = error === 'unknown_kid' && config.live.identity_provider !== null
    if (mayBeExternal && (await externals.find(config)) === null) throw new Refusal('key_set_unavailable')
    diagnostics.noteToken(config.project, error, credential)
    throw new Refusal('invalid_token')
  }

  return (request, requestId, config, acceptsApiKeyHeader) => {
    const credential = readCredential(request, acceptsApiKeyHeader)
    if (credential.startsWith(apiKeyPrefix)) {
      diagnostics.note(config.project, 'api_key_as_token', apiKeyHint(credential))
      throw new Refusal('api_key_as_token')
    }
    const verdict = verifier.verify(credential, () => externals.find(config))
    return verdict instanceof Promise
      ? verdict.then(late => conclude(late, credential, request, requestId, config))
      : conclude(verdict, credential, request, requestId, config)
  }
}

/** An `Authorization` header takes precedence over `X-Api-Key`. */
export function readCredential({ headers }: PlaneRequest, acceptsApiKeyHeader: boolean): string {
  const { authorization } = headers
  if (authorization === undefined && acceptsApiKeyHeader) return checkCredential(headers['x-api-key'])
  if (authorization === undefined || !authorization.startsWith(scheme)) throw new Refusal('bearer_required')
  return checkCredential(authorization.slice(scheme.length))
}

function checkCredential(token: unknown): string {
  if (typeof token !== 'string') throw new Refusal('bearer_required')
  if (token === '') throw new Refusal('bearer_required')
  return token
}

function describeCaller(
  token: VerifiedToken,
  { headers }: PlaneRequest,
  requestId: string,
  { project: { projectId, tenantId } }: ProjectConfig,
): Verified {
  const { claims, provider } = token
  const isOwn = token.provider !== 'external'
  if (isOwn && (token.claims.pid !== projectId || token.claims.tid !== tenantId)) {
    throw new Refusal('wrong_project_token')
  }
  const sessionId = headers['x-session-id']
  const threadId = headers['x-thread-id']
  return {
    requestId,
    tenantId,
    projectId,
    userId: claims.uid,
    // Roles and scopes of an external provider do not apply to this service.
    role: isOwn ? token.claims.role : 'user',
    tier: claims.tier ?? null,
    scopes: isOwn ? token.claims.scp : noScopes,
    authProvider: provider,
    issuedAt: claims.iat ?? claims.nbf,
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    threadId: typeof threadId === 'string' ? threadId : null,
    token,
  }
}
