// Each route of a tenant names the permission that it needs, and the built-in roles open what they opened before there
// were permissions: the matrix of all routes and roles is made from the route table.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtInRoles, rolesWith } from '../../../src/domain/access/permissions.ts'
import { describeRoutes } from '../../../src/management/plane/openapi-document.ts'
import { neededPermissions, pathsOf, type Route } from '../../../src/management/plane/route.ts'
import { openRouteTable, type RouteTable } from './route-table.ts'

let table: RouteTable
beforeAll(async () => {
  table = await openRouteTable()
})
afterAll(() => table.close())

const onlyForOwners = [
  'setSignOn',
  'deleteSignOn',
  'testSignOn',
  'createMemberResetLink',
  'deleteTenant',
  'exportTenant',
  'setSignInRules',
  'addMember',
  'changeMemberRole',
  'removeMember',
  'listInvitations',
  'withdrawInvitation',
  'deleteProject',
  'releaseProject',
  'putRole',
  'deleteRole',
  'listServiceAccounts',
  'createServiceAccount',
  'changeServiceAccount',
  'rotateServiceAccount',
  'deleteServiceAccount',
  'listTenantAudit',
  'getTenantAuditHead',
  'verifyTenantAudit',
  'exportTenantAudit',
  'getTenantAuditEntry',
  'findLastChanges',
]

/** They have a body and change nothing. */
const readsByPost = ['compareDraft']

function rolesBefore({ method, operation }: Route): string[] {
  if (onlyForOwners.includes(operation)) return ['owner']
  return method === 'GET' || readsByPost.includes(operation) ? ['owner', 'member', 'viewer'] : ['owner', 'member']
}

const ofTenants = (): Route[] => table.routes.filter(({ owner }) => owner !== 'none' && owner !== 'caller')

describe('permissions', () => {
  test('open each route to exactly the built-in roles that it was open to', () => {
    const found = ofTenants().map(one => [one.operation, rolesWith(neededPermissions(one))])
    expect(found.length).toBeGreaterThan(80)
    expect(found).toEqual(ofTenants().map(one => [one.operation, rolesBefore(one)]))
  })

  test('are named by every route of a tenant, and by no other', () => {
    for (const one of table.routes) {
      const expected = one.owner === 'none' ? undefined : one.owner === 'caller' ? null : expect.any(String)
      expect([one.operation, one.permission]).toEqual([one.operation, expected])
    }
  })

  test('to read content or the audit belong to owners alone', () => {
    for (const permission of ['content:read', 'audit:read'] as const) expect(rolesWith([permission])).toEqual(['owner'])
    expect(new Set(builtInRoles.owner).size).toBe(builtInRoles.owner.length)
  })

  test('stand in the OpenAPI document, at each path', () => {
    const document = describeRoutes(table.routes, { baseUrl: 'http://localhost', publicDomain: 'localhost' })
    for (const one of table.routes) {
      const needed = neededPermissions(one)
      for (const path of pathsOf(one)) {
        const described = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[one.method.toLowerCase()]
        expect([one.operation, described?.['x-permission']]).toEqual([
          one.operation,
          needed.length > 1 ? needed : needed[0],
        ])
      }
    }
  })

  test('are required by the compiler', () => {
    const verdicts: [
      Compiles<Session & { owner: 'tenant'; permission: 'project:read' }>,
      Compiles<Session & { owner: 'tenant' }>,
      Compiles<Session & { owner: 'tenant'; permission: 'tenant:read' }>,
      Compiles<Session & { owner: 'none' }>,
    ] = [true, false, false, false]
    expect(verdicts).toEqual([true, false, false, false])
  })
})

/** A verdict that differs from what the test expects is a type error. */
type Compiles<Declaration> = Declaration extends Route ? true : false
type Session = Omit<Route, 'credential' | 'owner' | 'permission' | 'method' | 'audit'> & {
  credential: 'session'
  method: 'GET'
}
