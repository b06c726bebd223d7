// What every declaration of the route table must say, as pure functions: each returns what breaks it, one line a fault.
import { pathsOf, type Route } from '../../../src/management/plane/route.ts'

const credentials = ['none', 'session', 'optional-session', 'admin-secret', 'api-key']
const owners = ['none', 'caller', 'tenant', 'project', 'api-key']
/** Given by the contract by its short path only. */
const shortOnly = ['/v1/tenants/:tenantId/guardrails/events']
/** Open to everybody on purpose; whatever is added here gives something to strangers. */
export const openToAll = [
  'POST /auth/v1/sessions',
  'POST /auth/v1/sessions/second-factor',
  'POST /auth/v1/sessions/passkey/options',
  'POST /auth/v1/sessions/passkey',
  'POST /auth/v1/invitations/accept',
  'POST /auth/v1/password-resets/accept',
  'POST /auth/v1/device/code',
  'POST /auth/v1/device/token',
  'GET /auth/v1/sso',
  'GET /auth/v1/sso/start',
  'GET /auth/v1/sso/callback',
  'GET /auth/v1/sso/link',
  'GET /.well-known/jwks.json',
  'GET /auth/v1/openapi.json',
  'GET /openapi.json',
  'POST /v1/auth/anonymous',
  'GET /v1/auth/anonymous/challenge',
  'GET /schemas/project-v1.json',
]

const nameOf = (route: Route): string => `${route.method} ${route.path}`

function undeclared(routes: readonly Route[]): string[] {
  return routes
    .filter(({ credential, owner }) => !credentials.includes(credential) || !owners.includes(owner))
    .map(route => `${nameOf(route)}: no credential or no ownership is declared`)
}

/** A session proves who asks, not that the things in the path are theirs. */
function sessionsWithoutOwner(routes: readonly Route[]): string[] {
  return routes
    .filter(({ credential, owner }) => (credential === 'session') !== (owner !== 'none'))
    .map(route => `${nameOf(route)}: a session goes with an owner, and an owner with a session`)
}

function openByAccident(routes: readonly Route[]): string[] {
  return routes
    .filter(({ credential }) => credential === 'none' || credential === 'optional-session')
    .filter(route => !openToAll.includes(nameOf(route)))
    .map(route => `${nameOf(route)}: open to everybody, and not meant to be`)
}

/** Each id in a path is what the ownership was decided on, or lies below it. The operator owns everything. */
function uncoveredIds(routes: readonly Route[]): string[] {
  return routes.flatMap(route => {
    const ids = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    const decided = { tenant: 'tenantId', project: 'projectId', 'api-key': 'keyId' }[route.owner as string]
    if (decided !== undefined && ids[0] !== decided)
      return [`${nameOf(route)}: owner ${route.owner}, but no :${decided} first`]
    const roots = ids.filter(id => id === 'tenantId' || id === 'projectId')
    const covered = route.credential === 'admin-secret' || roots.every(id => id === decided)
    const keyCovered = !ids.includes('keyId') || decided === 'keyId' || decided === 'projectId'
    // What a caller owns by itself is looked up by the caller's id as well; own-accounts.test.ts and factors/ hold that.
    const isOwn = route.owner === 'caller' && ['sessionId', 'passkeyId'].includes(ids.join())
    const othersCovered = ids.length === 0 || isOwn || decided !== undefined || route.credential === 'admin-secret'
    return covered && keyCovered && othersCovered ? [] : [`${nameOf(route)}: an id that the ownership does not cover`]
  })
}

/** An alias is the same declaration under another path, never a second one. */
function secondDeclarations(routes: readonly Route[]): string[] {
  const declared = routes.filter(({ path }) => /^\/v1\/(tenants|projects)\//.test(path) && !shortOnly.includes(path))
  const seen = new Map<string, Route>()
  const doubled = routes.flatMap(route =>
    pathsOf(route).flatMap(path => {
      const name = `${route.method} ${path.replace(/:\w+/g, ':')}`
      const other = seen.get(name)
      seen.set(name, route)
      return other === undefined ? [] : [`${name}: declared twice`]
    }),
  )
  return [...declared.map(route => `${nameOf(route)}: declared by its short path`), ...doubled]
}

function withoutAlias(routes: readonly Route[]): string[] {
  return routes
    .filter(({ path }) => /^\/auth\/v1\/(tenants|projects)\/./.test(path))
    .filter(route => pathsOf(route).join() !== [route.path, route.path.slice('/auth'.length)].join())
    .map(route => `${nameOf(route)}: not known by its short path`)
}

export const allRules = {
  undeclared,
  sessionsWithoutOwner,
  openByAccident,
  uncoveredIds,
  secondDeclarations,
  withoutAlias,
}
