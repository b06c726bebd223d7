// The credentials and permissions of the management API in its OpenAPI document: what they are, and which of them a
// route needs.
import { rolesWith } from '../../domain/access/permissions.ts'
import type { RefusalCode } from '../../domain/errors.ts'
import { neededPermissions, type Route } from './route.ts'
import { routeStepsUp } from './step-up.ts'

export const securitySchemes = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'Dashboard session token (`sess_…`), or the key of a service account (`svc_…`)',
  },
  'session-cookie': {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sallyport',
    description: 'A browser’s session, `sallyport` over http; every write also needs the header `X-Sallyport: 1`',
  },
  'api-key': { type: 'http', scheme: 'bearer', description: 'Project API key (`service_sk_live_…`)' },
  'admin-secret': {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Secret',
    description: 'ADMIN_SECRET, or a credential in its place (`op_…`)',
  },
}

export function describeSecurity({ credential }: Route): Record<string, string[]>[] {
  const cookie = { 'session-cookie': [] }
  if (credential === 'session') return [{ session: [] }, cookie]
  // Of an account that is an operator.
  if (credential === 'admin-secret') return [{ 'admin-secret': [] }, { session: [] }, cookie]
  return [{ [credential]: [] }]
}

/** Whether the route answers without a credential. */
export function isOpen({ credential }: Route): boolean {
  return credential === 'none' || credential === 'optional-session'
}

interface DescribedPermission {
  description?: string
  'x-step-up'?: true
  'x-permission'?: string | readonly string[]
}

export function describePermission(declared: Route): DescribedPermission {
  const stepUp = routeStepsUp(declared) ? ({ 'x-step-up': true } as const) : {}
  const needed = neededPermissions(declared)
  const [first, ...others] = needed
  if (first === undefined) return stepUp
  const names = needed.map(name => `\`${name}\``).join(' and ')
  const roles = rolesWith(needed).map(role => `\`${role}\``)
  const sentence = `Needs ${names} in the tenant, held by ${roles.join(', ')}.`
  const description = declared.ownIdParam === undefined ? sentence : `${sentence} Any member may name their own id.`
  return { description, 'x-permission': others.length === 0 ? first : needed, ...stepUp }
}

/** Of callers that are not the kind, or whose sign-in is not as recent, as the route needs. */
export function refusalsOfCaller(declared: Route): RefusalCode[] {
  return [
    ...writeRefusals(declared),
    ...stepUpRefusals(declared),
    ...(declared.onlyForPeople === true ? (['only_for_people'] as const) : []),
    ...(declared.owner === 'caller' && !declared.inTenantSession ? (['own_sign_in_required'] as const) : []),
  ]
}

function writeRefusals({ credential, method, notForCredentials }: Route): RefusalCode[] {
  const ofRoute: RefusalCode[] = notForCredentials ? ['not_for_credentials'] : []
  if (method === 'GET') return ofRoute
  if (credential === 'session') return ['write_header_required']
  return credential === 'admin-secret' ? ['write_header_required', 'credential_reads_only', ...ofRoute] : []
}

function stepUpRefusals(declared: Route): RefusalCode[] {
  if (!routeStepsUp(declared)) return []
  return declared.stepUp === 'everyone' ? ['reauthenticate', 'own_session_required'] : ['reauthenticate']
}
