// What a route must answer to whom, by its declaration and the table of permissions alone. Written apart from the code
// that decides: it shares the tables with it, and nothing else.
import { holdsAll, needsStepUp, type Permission } from '../../src/domain/access/permissions.ts'
import { Refusal, type RefusalCode } from '../../src/domain/errors.ts'
import { neededPermissions, type Route } from '../../src/management/plane/route.ts'
import type { Ids } from './idor-callers.ts'

export interface Refused {
  status: number
  /** The whole body: a refusal holds no data. */
  body: { error: string; code?: string }
}

/** Null if the route lets them in. */
export type Judgement = (route: Route, isOperator: boolean) => Refused | null

export type Way = 'password' | 'passkey' | 'sso of the tenant' | 'sso of the installation' | 'external'

export interface Standing {
  permissions: readonly Permission[]
  way: Way
  isRecent: boolean
}

export function refused(code: RefusalCode, message?: string): Refused {
  const { row } = new Refusal(code)
  return {
    status: row.status,
    body: { error: message ?? row.message, ...(row.code === undefined ? {} : { code: row.code }) },
  }
}

export const isOfTenant = ({ owner }: Route): boolean => owner !== 'none' && owner !== 'caller'

/** The ways that prove more than a password, whose sessions must be recent for some routes. */
const isStrong = (way: Way): boolean => way !== 'password' && way !== 'external'

export function judgePerson({ permissions, way, isRecent }: Standing): Judgement {
  return (route, isOperator) => {
    if (route.credential === 'admin-secret') return judgeOperator(route, { way, isRecent, isOperator })
    if (way === 'sso of the tenant' && route.owner === 'caller' && !route.inTenantSession) {
      return refused('own_sign_in_required')
    }
    if (isOfTenant(route) && !holdsAll(permissions, neededPermissions(route))) return refused('forbidden')
    const asked = whoMustBeRecent(route)
    if (way === 'external') return asked === 'everyone' ? refused('own_session_required') : null
    const isAsked = asked === 'everyone' || (asked === 'with a factor' && isStrong(way))
    return isAsked && !isRecent ? refused('reauthenticate') : null
  }
}

function whoMustBeRecent(route: Route): 'nobody' | 'with a factor' | 'everyone' {
  if (route.stepUp === 'everyone') return 'everyone'
  const byTable = neededPermissions(route).some(permission => needsStepUp(permission, route.method))
  return byTable || route.stepUp === 'with_factor' ? 'with a factor' : 'nobody'
}

interface Operating {
  way: Way
  isRecent: boolean
  isOperator: boolean
}

function judgeOperator({ method }: Route, { way, isRecent, isOperator }: Operating): Refused | null {
  if (!isOperator || way === 'external' || way === 'sso of the tenant') return refused('invalid_admin_secret')
  return isRecent || (isStrong(way) && method === 'GET') ? null : refused('reauthenticate')
}

interface AccountFacts {
  permissions: readonly Permission[]
  /** Undefined for the whole tenant. */
  projects?: readonly string[]
  /** What the paths lead to. */
  place?: Ids
  isForeign?: boolean
  isExpired?: boolean
}

export function judgeServiceAccount(facts: AccountFacts): Judgement {
  const { permissions, projects, place, isForeign, isExpired } = facts
  return route => {
    if (route.credential === 'admin-secret') return refused('invalid_admin_secret')
    if (isExpired) return refused('service_account_expired')
    if (route.onlyForPeople) return refused('only_for_people')
    if (!isOfTenant(route)) return null
    if (isForeign) return refused('forbidden')
    const needed = neededPermissions(route)
    const missing = needed.find(permission => !permissions.includes(permission))
    if (missing !== undefined) return refused('permission_missing', `Needs the permission ${missing}`)
    const isWithin = route.owner !== 'tenant' && projects?.includes(place?.['projectId'] ?? '')
    if (projects === undefined || isWithin) return null
    const where = route.owner === 'tenant' ? 'the whole tenant' : 'this project'
    return refused('permission_missing', `Needs the permission ${needed[0]} for ${where}`)
  }
}

/** Of an operator, in the header or where a session goes. */
export function judgeCredential(kind: 'root' | 'read' | 'write' | 'expired' | 'bearer'): Judgement {
  return route => {
    const isTheirs = route.credential === 'admin-secret'
    if (kind === 'bearer') return refused(isTheirs ? 'invalid_admin_secret' : 'invalid_session')
    if (!isTheirs) return refused('bearer_required')
    if (kind === 'root') return null
    if (kind === 'expired') return refused('invalid_admin_secret')
    if (route.notForCredentials) return refused('not_for_credentials')
    return kind === 'read' && route.method !== 'GET' ? refused('credential_reads_only') : null
  }
}
