// Who sends the request: reads the credential, has it verified, and holds it to the project that the host named.
// Knows no limits and no switches.

import type { TokenFault } from '../crypto/token-form.ts'
import type { ExternalProvider, TokenVerifier, VerifiedToken } from '../crypto/token-verifier.ts'
import { brand } from '../domain/brand.ts'
import { Refusal, type RefusalCode } from '../domain/errors.ts'
import type { Verified } from '../domain/verified.ts'
import type { PlaneRequest } from '../http/plane-exchange.ts'
import type { ExternalProviders } from './external-providers.ts'
import type { ProjectConfig } from './project-config.ts'

export type Authenticate = (request: PlaneRequest, requestId: string, config: ProjectConfig) => Promise<Verified>

const scheme = 'Bearer '
const apiKeyPrefix = `${brand}_sk_`
const noScopes: readonly string[] = Object.freeze([])

export function createAuthenticate(verifier: TokenVerifier, externals: ExternalProviders): Authenticate {
  /** One function per config, so that none is made per request. */
  const finders = new WeakMap<ProjectConfig, () => Promise<ExternalProvider | null>>()
  const finderFor = (config: ProjectConfig) => {
    const known = finders.get(config)
    if (known !== undefined) return known
    const finder = () => externals.find(config)
    finders.set(config, finder)
    return finder
  }

  return async (request, requestId, config) => {
    const findExternal = finderFor(config)
    const verdict = await verifier.verify(readCredential(request), findExternal)
    if (verdict.outcome === 'unavailable') throw new Refusal('key_set_unavailable')
    if (verdict.outcome === 'refused') throw await refusalOf(verdict.fault, config, findExternal)
    return describeCaller(verdict.token, request, requestId, config)
  }
}

function readCredential({ headers: { authorization } }: PlaneRequest): string {
  if (authorization === undefined || !authorization.startsWith(scheme)) throw new Refusal('bearer_required')
  const token = authorization.slice(scheme.length)
  if (token === '') throw new Refusal('bearer_required')
  if (token.startsWith(apiKeyPrefix)) throw new Refusal('api_key_as_token')
  return token
}

/** Where a project has an external provider whose keys were never to be had, an unknown kid may well be a good one. */
async function refusalOf(
  fault: TokenFault,
  { live }: ProjectConfig,
  findExternal: () => Promise<ExternalProvider | null>,
): Promise<Refusal> {
  if (fault === 'expired') return new Refusal('token_expired')
  const isUndecided = fault === 'unknown_kid' && live.identity_provider !== null && (await findExternal()) === null
  const code: RefusalCode = isUndecided ? 'key_set_unavailable' : 'invalid_token'
  return new Refusal(code)
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
    // What an external provider says of roles and scopes is not about this service.
    role: isOwn ? token.claims.role : 'user',
    tier: claims.tier ?? null,
    scopes: isOwn ? token.claims.scp : noScopes,
    authProvider: provider,
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    threadId: typeof threadId === 'string' ? threadId : null,
    token,
  }
}
