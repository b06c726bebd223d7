// No route without a credential and an ownership rule, no id that the ownership does not cover, no alias beside its
// declaration: held against the table, against samples that break each rule, and against the running product.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsOf, type Route } from '../../../src/management/plane/route.ts'
import { type ManagementHarness, startManagement } from '../../support/management-harness.ts'
import { expectRefusal, unknownId } from '../requests.ts'
import { allRules, openToAll } from './route-rules.ts'
import { openRouteTable, type RouteTable } from './route-table.ts'

let table: RouteTable
beforeAll(async () => {
  table = await openRouteTable()
})
afterAll(() => table.close())

const sample = (changes: Partial<Record<keyof Route, unknown>>): Route =>
  ({
    method: 'GET',
    path: '/auth/v1/tenants/:tenantId/things',
    operation: 'listThings',
    summary: 'Things',
    credential: 'session',
    owner: 'tenant',
    answers: {},
    ...changes,
  }) as unknown as Route
const good = sample({})

describe('every route', () => {
  test('is in the table', () => {
    expect(table.routes.length).toBeGreaterThan(50)
  })

  test.each(Object.entries(allRules))('%s: none', (_name, rule) => {
    expect(rule(table.routes)).toEqual([])
  })

  test('that is open to all is there', () => {
    const names = table.routes.map(route => `${route.method} ${route.path}`)
    expect(names).toEqual(expect.arrayContaining(openToAll))
  })
})

describe('a rule finds', () => {
  test.each<[string, keyof typeof allRules, Route[]]>([
    ['a missing credential', 'undeclared', [sample({ credential: undefined })]],
    ['a missing owner', 'undeclared', [sample({ owner: undefined })]],
    ['an owner nobody knows', 'undeclared', [sample({ owner: 'anybody' })]],
    ['a session without an owner', 'sessionsWithoutOwner', [sample({ owner: 'none' })]],
    ['an owner without a session', 'sessionsWithoutOwner', [sample({ credential: 'none' })]],
    ['a route left open', 'openByAccident', [sample({ credential: 'none', owner: 'none' })]],
    ['a tenant that the caller only names', 'uncoveredIds', [sample({ owner: 'caller' })]],
    ['a project under the tenant of the path', 'uncoveredIds', [sample({ path: '/v1/t/:tenantId/p/:projectId' })]],
    [
      'a tenant under the project of the path',
      'uncoveredIds',
      [sample({ path: '/v1/p/:projectId/t/:tenantId', owner: 'project' })],
    ],
    ['an owner that is not in the path', 'uncoveredIds', [sample({ owner: 'project' })]],
    ['a key that is the caller’s only by name', 'uncoveredIds', [sample({ path: '/v1/k/:keyId', owner: 'caller' })]],
    ['any id under nobody', 'uncoveredIds', [sample({ path: '/v1/t/:tierId', credential: 'none', owner: 'none' })]],
    [
      'a second declaration for an alias',
      'secondDeclarations',
      [good, sample({ path: '/v1/tenants/:tenantId/things', owner: 'tenant' })],
    ],
    ['a declaration by the short path alone', 'secondDeclarations', [sample({ path: '/v1/projects/:projectId/x' })]],
    [
      'a route declared twice with other names',
      'secondDeclarations',
      [good, sample({ path: '/auth/v1/tenants/:id/things' })],
    ],
  ])('%s', (_what, rule, routes) => {
    expect(allRules[rule](routes)).not.toEqual([])
  })

  test('nothing in a good one', () => {
    for (const rule of Object.values(allRules)) expect(rule([good])).toEqual([])
  })
})

describe('the running product', () => {
  let plane: ManagementHarness
  let stranger: { session: string }
  beforeAll(async () => {
    plane = await startManagement('sqlite', { own: true })
    stranger = await plane.makePerson()
  })
  afterAll(() => plane?.stop())

  const everyPath = () =>
    table.routes.flatMap(route =>
      pathsOf(route).map(path => ({ route, path: path.replace(/:(number|\w+Type)\b/g, '1') })),
    )
  const concrete = (path: string, ids: Record<string, string> = {}) =>
    path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? unknownId)

  test('asks for the credential on every route and alias before anything else', async () => {
    const words = {
      session: 'Bearer token required',
      'api-key': 'Bearer token required',
      'admin-secret': 'Invalid admin secret',
    }
    for (const { route, path } of everyPath()) {
      if (route.credential === 'none' || route.credential === 'optional-session' || route.onProjectHost) continue
      const body = route.method === 'GET' ? undefined : '{broken'
      expectRefusal(await plane.call(route.method, concrete(path), { body }), 401, words[route.credential])
    }
  })

  test('lets nobody into what is not theirs, by any route or alias', async () => {
    const tenant = await plane.makeTenant()
    const project = await plane.makeProject(tenant.id)
    const key = await plane.makeApiKey(project.id)
    const ids = { tenantId: tenant.id, projectId: project.id, keyId: key.id }
    let asked = 0
    for (const { route, path } of everyPath()) {
      if (!['tenant', 'project', 'api-key'].includes(route.owner)) continue
      const body = route.method === 'GET' ? undefined : {}
      const answer = await plane.call(route.method, concrete(path, ids), { session: stranger.session, body })
      expectRefusal(answer, 403, 'Forbidden')
      asked++
    }
    expect(asked).toBeGreaterThan(60)
    expect(await plane.query('select id from api_keys where revoked_at is null')).toEqual([{ id: key.id }])
  })

  test('knows no other method on any path', async () => {
    for (const path of new Set(everyPath().map(entry => entry.path))) {
      const methods = everyPath().filter(entry => entry.path === path)
      if (methods.some(({ route }) => route.onProjectHost)) continue
      const other = ['PATCH', 'PUT', 'DELETE'].find(method => methods.every(({ route }) => route.method !== method))
      if (other === undefined) throw new Error(`${path} has every method`)
      const answer = await plane.call(other, concrete(path))
      expectRefusal(answer, 405, 'Method not allowed')
      const allowed = methods.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.sort())
    }
  })
})
