// The authorization matrix beyond its file: every route of the running product against every class of caller, and
// against everybody who may do something: each permission, role, service account, operator and way of signing in. What
// must come out follows from the route's declaration alone, so a new route is in it from its first day.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rolesWith } from '../../src/domain/access/permissions.ts'
import { neededPermissions, pathsOf, type Route } from '../../src/management/plane/route.ts'
import { describeEachBackend } from '../support/management-harness.ts'
import { type ScriptedIssuer, startIssuer } from '../support/simulated/scripted-issuer.ts'
import { isOfTenant, type Refused, refused } from './holder-rules.ts'
import {
  builtInRoleHolders,
  type Holder,
  keepRecent,
  prepareCredentials,
  preparePermissions,
  prepareServiceAccounts,
  prepareSessions,
  useIssuer,
} from './holders.ts'
import { type Caller, idsFor, prepareCallers, requestTo, type Target } from './idor-callers.ts'
import { isExpected } from './idor-rows.ts'
import { openRouteTable, type RouteTable } from './plane/route-table.ts'
import { expectOk } from './requests.ts'
import { eachOf } from './send.ts'
import { dumpRows, idsOf, startTwoTenants, type TwoTenants } from './two-tenants.ts'

interface Cell extends Target {
  caller: string
  expected: string
}

const strangers = [
  'no credential',
  'Bearer empty / Basic / lower-case scheme without token',
  'random 64-char token',
  'own project API key',
  'own minted JWT role=user',
  'own minted JWT role=dashboard-service',
  'own minted JWT role=admin',
  'external-IdP JWT',
  'X-Admin-Secret only (valid)',
  'expired session',
  'session after logout / revocation',
  'session token in query string or cookie of another origin',
]
const foreigners = [
  'valid session of tenant B, ids of tenant A',
  'valid session of tenant B + X-Tenant-Id/X-Project-Id headers of A',
  'former owner',
  'outsider',
]
const unknown = 'valid session of tenant B, random UUID ids'
const odd = 'valid session, id = not-a-uuid / 0 / -1 / ..%2f / 1e999 / 4 KiB / NUL'
const nested = [
  'own project id in path, child id belongs to another project of ANOTHER tenant',
  'own project id in path, child id belongs to another project of the SAME tenant',
]
const claiming = 'valid session, body carries id, tenant_id, project_id, status, role, created_at, deployed_at of A'
const otherHosts = ['valid session on a project host', 'valid session on an unknown host']
const notOperators = [
  'no header',
  'empty header',
  'wrong secret same length',
  'secret prefix',
  'secret + suffix',
  'two X-Admin-Secret headers (one right)',
  'secret in another place',
  'minted JWT role=admin',
  'valid dashboard session',
]
/** The mint's own door: everything but a project's key. */
const notProjects = strangers.filter(caller => caller !== 'own project API key')
/** Members of one tenant share its users: the child named is a member of both projects' tenant. */
const hasNestedIds = (route: Route) => /:(tenant|project)Id\/.*:(keyId|tierId|number)/.test(route.path)
const hasIdOfTenant = (route: Route) => /:tenantId\/.*:(invitationId|webhookId|serviceAccountId)/.test(route.path)
const needsInference = (route: Route) => route.path.endsWith('/playground')

function cellsOf(route: Route): Cell[] {
  const callers = rulesOf(route)
  return pathsOf(route).flatMap(pattern =>
    callers.map(([caller, expected]) => ({ method: route.method, pattern, caller, expected })),
  )
}

/** The members whose role does not hold the permission that the route names. */
function refusedRoles(route: Route): string[] {
  const allowed: string[] = rolesWith(neededPermissions(route))
  return ['member', 'viewer'].filter(role => !allowed.includes(role))
}

/** The rule of the matrix: which door, whose things, which role. */
function rulesOf(route: Route): [caller: string, expected: string][] {
  const all = (callers: readonly string[], expected: string) =>
    callers.map(caller => [caller, expected] as [string, string])
  if (route.credential === 'none' || route.credential === 'optional-session') return []
  if (route.credential === 'api-key') return all(notProjects, route.onProjectHost === true ? '404' : '401')
  if (route.credential === 'admin-secret') {
    return [
      ...all(notOperators, '401'),
      ...all(['valid secret on a project host'], '404'),
      ...all(['valid secret via X-HTTP-Method-Override / path //'], '400 or 404 or 405'),
    ]
  }
  const isOwned = route.owner !== 'caller'
  return [
    ...all(strangers, '401'),
    ...all(otherHosts, '404'),
    ...all(isOwned ? foreigners : [], '403'),
    ...all(isOwned ? [unknown] : [], '404'),
    ...all(isOwned ? [odd] : [], '400 or 404'),
    ...all(isOwned ? refusedRoles(route) : [], '403'),
    ...all(hasNestedIds(route) ? nested : hasIdOfTenant(route) ? nested.slice(0, 1) : [], '404'),
  ]
}

describeEachBackend('every route against every caller', start => {
  let world: TwoTenants
  let callers: Record<string, Caller>
  let table: RouteTable
  let issuer: ScriptedIssuer
  beforeAll(async () => {
    ;[table, issuer] = await Promise.all([openRouteTable(), startIssuer()])
    const { client_id, client_secret } = issuer.client
    const env = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret }
    world = await startTwoTenants(start, env, [issuer.host])
    callers = await prepareCallers(world)
  })
  afterAll(() => Promise.all([table.close(), issuer.stop()]))

  const tryCell = async (cell: Cell) => {
    const requests = (await callers[cell.caller]?.(cell)) ?? []
    const answers = await eachOf(requests, async request => ({ request, got: await world.send(request) }), 4)
    const faults = answers
      .filter(({ got }) => isExpected(cell.expected, got.status) !== true)
      .map(({ request, got }) => ({ cell, path: request.path.slice(0, 200), status: got.status, text: got.text }))
    return { count: requests.length, faults }
  }

  test('knows exactly the routes that the running product describes', async () => {
    const document = expectOk<{ paths: Record<string, Record<string, unknown>> }>(
      await world.plane.call('GET', '/auth/v1/openapi.json'),
    )
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
    const walked = table.routes.flatMap(route => pathsOf(route).map(path => `${route.method} ${path}`))
    expect(described.sort()).toEqual([...new Set(walked)].sort())
  })

  test('refuses all who have no business there, and nothing at all changes', async () => {
    const before = await dumpRows(world.plane)
    const tried = await eachOf(table.routes.flatMap(cellsOf), tryCell)
    expect(tried.flatMap(({ faults }) => faults)).toEqual([])
    // Every cell had something to send: a cell without a request would prove nothing.
    expect(tried.filter(({ count }) => count === 0)).toEqual([])
    expect(tried.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3000)
    expect(await dumpRows(world.plane)).toEqual(before)
  })

  test("leaves A's rows alone, byte for byte, whatever a body of B claims", async () => {
    const ids = idsOf(world.a)
    const before = await dumpRows(world.plane, ids)
    const writes = table.routes.filter(
      route =>
        ['POST', 'PUT', 'PATCH'].includes(route.method) && route.credential === 'session' && !needsInference(route),
    )
    const tried = await eachOf(writes, async route => {
      const target = { method: route.method, pattern: route.path }
      const [request] = (await callers[claiming]?.(target)) ?? []
      if (request === undefined) throw new Error(`nothing to send to ${route.path}`)
      const got = await world.send(request)
      // Retrying what has not failed, or reverting what was never deployed, is refused for its own reason; so is a
      // password, a code or a passkey that is none of B's, backup codes without a second factor, a reset of somebody
      // with other tenants, a last owner's other role, a tenant of Azure's beside a key, the code of a program that
      // did not ask, an identity that no issuer has asserted, a code before there is an app, claims that are no
      // customers of a meter, a webhook of a project of somebody else's, and the sixth check of a provider in a minute.
      const isRefusedAnyway =
        (/retry|discard|rollback/.test(route.path) && [400, 404, 409].includes(got.status)) ||
        (/\/current\/(password|passkeys|totp\/confirm|reauthenticate)$/.test(route.path) && got.status === 401) ||
        (/\/backup-codes$/.test(route.path) && got.status === 409) ||
        (/\/providers\/azure(\/validate)?$/.test(route.path) && got.status === 400) ||
        (/\/providers\//.test(route.path) && got.status === 429) ||
        (/\/reset-link$/.test(route.path) && got.status === 403) ||
        (/\/members\/:userId$/.test(route.path) && got.status === 409) ||
        (/\/meter\/subjects$/.test(route.path) && got.status === 400) ||
        (/\/(device\/(approve|deny)|sso\/link|totp\/confirm|webhooks)$/.test(route.path) && got.status === 404)
      const leaked = ids.filter(id => id !== world.b.owner.id && got.text.includes(id))
      return (got.status < 300 || isRefusedAnyway) && leaked.length === 0
        ? []
        : [{ target, status: got.status, text: got.text, leaked }]
    })
    expect(tried.flat()).toEqual([])
    expect(await dumpRows(world.plane, ids)).toEqual(before)
  })

  test('lets in exactly those who should be, so that none of the refusals above is for another reason', async () => {
    const { plane, viewer, member } = world
    const reads = table.routes.filter(
      route =>
        route.method === 'GET' &&
        route.credential === 'session' &&
        route.owner !== 'caller' &&
        // An answer without an end.
        route.answers[200] !== 'events',
    )
    const tenant = world.a
    const ids = idsFor(world, tenant)
    const faults = await eachOf(reads, async route => {
      const statuses = await eachOf([tenant.owner, member, viewer], async ({ session }) => {
        const headers = [['Authorization', `Bearer ${session}`]] as const
        return (await world.send(requestTo({ method: 'GET', pattern: route.path }, ids, { headers }))).status
      })
      const refused = refusedRoles(route)
      // Nobody has sent a request yet: none has an id.
      const found = route.path.endsWith('/:requestId') ? 404 : 200
      const expected = ['owner', 'member', 'viewer'].map(role => (refused.includes(role) ? 403 : found))
      return statuses.join() === expected.join() ? [] : [{ path: route.path, statuses }]
    })
    expect(faults.flat()).toEqual([])
    for (const path of ['/auth/v1/admin/providers', '/v1/admin/killswitch/status']) {
      expect((await plane.call('GET', path, { adminSecret: plane.adminSecret })).status).toBe(200)
    }
  })

  describe('for everybody who may do something', () => {
    let sessions: Holder[]
    let others: Holder[]
    let single: Holder[]
    beforeAll(async () => {
      sessions = await prepareSessions(world, issuer)
      single = await preparePermissions(world)
      others = [
        ...builtInRoleHolders(world),
        ...(await prepareServiceAccounts(world)),
        ...(await prepareCredentials(world)),
      ]
      await keepRecent(world)
    })

    interface Fault {
      holder: string
      route: string
      expected: Refused | 'let in'
      status: number
      text: string
    }

    /** A write has a body that no route reads, so that it ends where its handler would begin. */
    async function ask(route: Route, holder: Holder, expected: Refused | null): Promise<Fault[]> {
      const isRead = route.method === 'GET'
      const headers = [...holder.headers, ...(isRead ? [] : [['Content-Type', 'text/plain'] as const])]
      const request = requestTo({ method: route.method, pattern: route.path }, holder.ids, { headers })
      const got = await world.send(isRead ? request : { ...request, body: 'no JSON' })
      // A read without its query, or of what is not there, has got past the door.
      const isLetIn = isRead ? got.status < 300 || [400, 404].includes(got.status) : got.status === 415
      const isRight = expected === null ? isLetIn : isDeepStrictEqual({ ...expected }, bodyOf(got))
      if (isRight) return []
      const { status, text } = got
      return [
        {
          holder: holder.name,
          route: `${route.method} ${route.path}`,
          expected: expected ?? 'let in',
          status,
          text: text.slice(0, 200),
        },
      ]
    }
    const bodyOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body })

    const askAll = async (
      routes: readonly Route[],
      holders: readonly Holder[],
      judgeCell: (holder: Holder, route: Route) => Refused | null,
    ) => {
      // By holder: the answers of some routes are held back, and others are asked meanwhile.
      const cells = holders.flatMap(holder =>
        routes.map(route => ({ route, holder, expected: judgeCell(holder, route) })),
      )
      const faults = await eachOf(cells, ({ route, holder, expected }) => ask(route, holder, expected), 24)
      const letIn = cells.filter(({ expected }) => expected === null).length
      return { faults: faults.flat(), letIn, kept: cells.length - letIn }
    }
    const judge = (holder: Holder, route: Route) => holder.judge(route, false)

    test('opens to each permission, role, account, credential and session exactly where the table says', async () => {
      const behindDoors = table.routes.filter(({ credential }) => ['session', 'admin-secret'].includes(credential))
      const result = await askAll(behindDoors, [...sessions, ...others], judge)
      expect(result.faults).toEqual([])
      expect(Math.min(result.letIn, result.kept)).toBeGreaterThan(800)
      const byPermission = await askAll(behindDoors.filter(isOfTenant), single, judge)
      expect(byPermission.faults).toEqual([])
    })

    test('opens the routes of operators to sessions of operators, as they signed in', async () => {
      const operators = sessions.filter(({ standing }) => standing !== undefined)
      await world.plane.query(
        `insert into operators (user_id, created_at, created_by)
         select user_id, 1, 'test' from memberships where tenant_id = ? and role = 'owner' and user_id <> ?`,
        [world.a.id, world.a.owner.id],
      )
      const ofOperators = table.routes.filter(({ credential }) => credential === 'admin-secret')
      const cookies = sessions.filter(({ name }) => name === 'a cookie without the header')
      const result = await askAll(ofOperators, [...operators, ...cookies], (holder, route) => holder.judge(route, true))
      expect(result.faults).toEqual([])
      expect(Math.min(result.letIn, result.kept)).toBeGreaterThan(50)
    })

    test('keeps everybody out of a tenant who does not sign in as it requires', async () => {
      const routes = table.routes.filter(isOfTenant)
      const isAsked = ({ name, standing }: Holder) =>
        standing !== undefined || name === 'a service account with all permissions'
      const asked = [...sessions, ...others].filter(isAsked)
      await useIssuer(world.plane, world.a, issuer, { required: true, break_glass_user_id: world.a.owner.id })
      const bySso = await askAll(routes, asked, (holder, route) => {
        const { standing, name } = holder
        const isLetIn = standing === undefined || standing.way === 'sso of the tenant' || name === 'owner'
        return isLetIn ? judge(holder, route) : refused('sso_required')
      })
      expect(bySso.faults).toEqual([])
      await useIssuer(world.plane, world.a, issuer)
      await world.plane.query('update tenants set require_second_factor = 1 where id = ?', [world.a.id])
      const byFactor = await askAll(routes, asked, (holder, route) =>
        holder.standing?.way === 'password' ? refused('second_factor_missing') : judge(holder, route),
      )
      expect(byFactor.faults).toEqual([])
    })
  })
})
