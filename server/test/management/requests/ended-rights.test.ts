// A stream ends within a second of what takes its reader's right to it, done at any replica: people who are signed out,
// removed or demoted, and service accounts that are deleted. Requests are refused at once.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { roomFor } from '../../support/slowness.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { addPasskey, paths, signInOptions } from '../factors/people.ts'
import { expectOk } from '../requests.ts'

const contractMs = 1_000
/** A stream that does not end is ended here, too late for the contract. */
const longestMs = 20_000

describeEachBackend('a stream', (start, backend) => {
  let plane: ManagementHarness
  let replica: Product | null = null
  let tenantId: string
  let projectId: string
  beforeAll(async () => {
    plane = await start({ own: true })
    if (backend === 'postgres') replica = await startProduct({ env: plane.env })
    tenantId = (await plane.makeTenant()).id
    projectId = (await plane.makeProject(tenantId)).id
    return () => replica?.stop()
  })

  /** At the replica, if there is one; all else is done at the first product. */
  async function watch(session: string): Promise<{ end: Promise<number>; isOver(): boolean; cancel(): void }> {
    const control = new AbortController()
    const response = await fetch(`${(replica ?? plane).baseUrl}/auth/v1/projects/${projectId}/requests/live`, {
      headers: { authorization: `Bearer ${session}` },
      signal: AbortSignal.any([control.signal, AbortSignal.timeout(longestMs)]),
    })
    expect(response.status).toBe(200)
    let isOver = false
    const end = response.text().then(
      () => performance.now(),
      () => performance.now(),
    )
    void end.then(() => {
      isOver = true
    })
    return { end, isOver: () => isOver, cancel: () => control.abort() }
  }

  const owned = (body?: object) => ({ session: plane.owner.session, ...(body && { body }) })
  const member = ({ id }: Person) => `/auth/v1/tenants/${tenantId}/members/${id}`

  test.each<[string, (person: Person) => Promise<{ status: number }>]>([
    ['is signed out', ({ session }) => plane.call('DELETE', '/auth/v1/sessions/current', { session })],
    ['is removed', person => plane.call('DELETE', member(person), owned())],
    ['is an owner no more', person => plane.call('PATCH', member(person), owned({ role: 'viewer' }))],
  ])('ends for who %s, and for nobody else', async (_case, act) => {
    const [person, other] = [
      await plane.makePerson({ tenantId, role: 'owner' }),
      await plane.makePerson({ tenantId, role: 'viewer' }),
    ]
    const [ending, staying] = [await watch(person.session), await watch(other.session)]
    expect((await act(person)).status).toBeLessThan(300)
    const done = performance.now()
    expect((await ending.end) - done).toBeLessThan(roomFor(contractMs))
    expect(staying.isOver()).toBe(false)
    staying.cancel()
  })

  test.each<[string, (person: Person) => Promise<{ status: number }>]>([
    ['is removed', person => plane.call('DELETE', member(person), owned())],
    ['is an owner no more', person => plane.call('PATCH', member(person), owned({ role: 'viewer' }))],
  ])('and every session of who %s is refused at once, at every replica', async (_case, act) => {
    const person = await plane.makePerson({ tenantId, role: 'owner' })
    const { authenticator } = await addPasskey(plane, person)
    const response = authenticator.get(await signInOptions(plane))
    const byPasskey = await plane.call('POST', paths.passkey, { body: { response } })
    const program = await plane.call('POST', '/auth/v1/device/code', { body: {} })
    const { device_code, user_code } = expectOk<{ device_code: string; user_code: string }>(program)
    const approval = { session: person.session, body: { user_code } }
    expect((await plane.call('POST', '/auth/v1/device/approve', approval)).status).toBe(204)
    const exchanged = await plane.call('POST', '/auth/v1/device/token', { body: { device_code } })
    const sessions = [
      person.session,
      expectOk<{ session_token: string }>(byPasskey).session_token,
      expectOk<{ access_token: string }>(exchanged).access_token,
    ]
    const replicas = [plane.baseUrl, ...(replica === null ? [] : [replica.baseUrl])]
    const path = `/auth/v1/tenants/${tenantId}/invitations`
    const ask = async (baseUrl: string, session: string) =>
      (await fetch(baseUrl + path, { headers: { authorization: `Bearer ${session}` } })).status
    const statuses = async () =>
      new Set(await Promise.all(replicas.flatMap(baseUrl => sessions.map(session => ask(baseUrl, session)))))
    expect(await statuses()).toEqual(new Set([200]))
    expect((await act(person)).status).toBeLessThan(300)
    expect(await statuses()).toEqual(new Set([403]))
  })

  test('ends for a service account that is deleted', async () => {
    const path = `/auth/v1/tenants/${tenantId}/service-accounts`
    const body = { name: 'Watcher', permissions: ['project:read'] }
    const { id, key } = expectOk<{ id: string; key: string }>(await plane.call('POST', path, owned(body)), 201)
    const { end } = await watch(key)
    expect((await plane.call('DELETE', `${path}/${id}`, owned())).status).toBe(204)
    const done = performance.now()
    expect((await end) - done).toBeLessThan(roomFor(contractMs))
  })
})
