// A stream ends within a second of what takes its reader's right to it, done at any replica: people who are signed out,
// removed or demoted, and service accounts that are deleted.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { roomFor } from '../../support/slowness.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
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
