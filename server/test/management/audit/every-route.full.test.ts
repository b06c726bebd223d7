// Every route that writes, and every one that reads what is sensitive, leaves exactly one entry in the audit, with its
// actor and no secret: the cases are made from the route table.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit/entry.ts'
import type { Route } from '../../../src/management/plane/route.ts'
import { type Answer, describeEachBackend } from '../../support/management-harness.ts'
import { idsFor, requestTo } from '../idor-callers.ts'
import { openRouteTable, type RouteTable } from '../plane/route-table.ts'
import { startTwoTenants, type TwoTenants } from '../two-tenants.ts'
import { type Given, preparations } from './preparations.ts'

/** Ask, try or check something and change nothing. */
const changeNothing = [
  'beginPasskey',
  'beginPasskeySignIn',
  'beginReauthentication',
  'compareDraft',
  'findLastChanges',
  'inspectToken',
  'mintAnonymousToken',
  'mintToken',
  'mintTokenOnProjectHost',
  'requestDeviceCode',
  'runPlayground',
  'takeFileLease',
  'testMeter',
  'tryGuardrails',
  'validateAzureProvider',
  'validateBedrockProvider',
  'validateProviderKey',
  'validateVertexProvider',
]

/** Need an issuer and a browser: sso/sign-in.test.ts and sso/linking.test.ts read their entries. */
const withIssuer = ['finishSignOn', 'linkIdentity']

/** Without what is only read sometimes: inference/answer/keep-content.test.ts reads content. */
const isRecorded = (route: Route) => route.audit != null && route.audit.reads !== 'sometimes'

describeEachBackend('the audit of every route', start => {
  let world: TwoTenants
  let table: RouteTable
  beforeAll(async () => {
    table = await openRouteTable()
    world = await startTwoTenants(start)
  })
  afterAll(() => table.close())

  const entriesOf = async (requestId: string) => {
    const rows = await world.plane.query<{ entry: string }>('select entry from audit_entries where entry like ?', [
      `%"request_id":"${requestId}"%`,
    ])
    return rows.map(({ entry }) => JSON.parse(entry) as AuditEntry)
  }

  async function perform(route: Route) {
    const prepare = preparations[route.operation]
    const isUsedUp = route.method === 'DELETE' || prepare !== undefined
    const tenant = isUsedUp ? await world.makeSpare() : world.b
    const ids = idsFor(world, tenant)
    const given: Given = (await prepare?.({ world, tenant, ids })) ?? {}
    const { method, path, body } = requestTo({ method: route.method, pattern: route.path }, { ...ids, ...given.ids })
    const credential = given.credential ?? (route.credential === 'admin-secret' ? 'admin' : tenant.owner.session)
    const answer = await world.plane.call(method, `${path}${given.query ?? ''}`, {
      ...(credential === 'admin' ? { adminSecret: world.plane.adminSecret } : { session: credential }),
      ...(method === 'GET' ? {} : { body: given.body ?? body }),
    })
    return { route, answer, sent: given.body ?? body, tenant }
  }

  test('knows which routes change nothing', () => {
    const silent = table.routes.filter(route => route.method !== 'GET' && !isRecorded(route))
    expect([...new Set(silent.map(({ operation }) => operation))].sort()).toEqual(changeNothing)
  })

  test('leaves exactly one entry of what was done, without a secret', async () => {
    const faults: unknown[] = []
    for (const route of table.routes.filter(isRecorded)) {
      if (withIssuer.includes(route.operation)) continue
      const { answer, sent } = await perform(route)
      const entries = await entriesOf(answer.headers.get('x-request-id') ?? '')
      const [entry] = entries
      const fault = {
        operation: route.operation,
        status: answer.status,
        entries: entries.map(({ action, outcome }) => `${action} ${outcome}`),
        secrets: secretsIn(sent, answer).filter(secret => JSON.stringify(entries).includes(secret)),
        actor: entry?.actor.id,
      }
      const isRight =
        answer.status < 300 &&
        entries.length === 1 &&
        entry?.action === route.audit?.action &&
        entry?.outcome === 'done' &&
        entry.actor.id !== null &&
        entry.target.id !== null &&
        fault.secrets.length === 0
      if (!isRight) faults.push({ ...fault, text: answer.status < 300 ? '' : answer.text })
    }
    expect(faults).toEqual([])
  })

  test('says what was there before and after, and no more than what differs', async () => {
    const tenant = await world.makeSpare()
    const path = `/auth/v1/projects/${tenant.projects[0].id}`
    const session = tenant.owner.session
    const { headers } = await world.plane.call('PATCH', path, { session, body: { name: 'Renamed' } })
    const [entry] = await entriesOf(headers.get('x-request-id') ?? '')
    expect(entry).toMatchObject({
      tenant_id: tenant.id,
      project_id: tenant.projects[0].id,
      actor: { kind: 'user', id: tenant.owner.id, name: tenant.owner.email },
      authenticated_by: 'session',
      action: 'project.rename',
      target: { type: 'project', id: tenant.projects[0].id, name: 'Renamed' },
      before: { name: 'Project' },
      after: { name: 'Renamed' },
    })
    expect([entry?.before, entry?.after].map(side => Object.keys(side ?? {}))).toEqual([['name'], ['name']])
    const ofTenant = await world.plane.call('PATCH', `/auth/v1/tenants/${tenant.id}`, {
      session,
      body: { name: 'New' },
    })
    expect(await entriesOf(ofTenant.headers.get('x-request-id') ?? '')).toMatchObject([{ project_id: null }])
  })
})

/** The texts of a request and its answer that only their receiver may have. */
function secretsIn(sent: unknown, answer: Answer): string[] {
  const found: string[] = []
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, key)
    } else if (typeof value === 'string' && isSecret(name)) {
      found.push(value.includes('#token=') ? (value.split('#token=')[1] ?? value) : value)
    }
  }
  walk(sent, '')
  walk(answer.body, '')
  return found.filter(text => text.length >= 8)
}

const isSecret = (name: string) =>
  /^(api_key|key|secret|password|current_password|new_password|token|session_token|access_token|device_code|user_code|invite_url|reset_url|private_key|client_secret|secret_access_key)$/.test(
    name,
  )
