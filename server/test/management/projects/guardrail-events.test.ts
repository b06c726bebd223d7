// The listing of guardrail events on both databases: order, filters, pages that stay whole while events come in, and
// that nobody sees another tenant's. What an event emitted into the stream looks like here.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type GuardrailEvent, readGuardrailEvent } from '../../../src/domain/guardrails/guardrail-event.ts'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { guardrailEventRow } from '../../../src/storage/guardrail-events/guardrail-event-rows.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { roomFor } from '../../support/slowness.ts'
import { eventOf } from '../../worker/drain-events-stage.ts'
import { expectOk, expectRefusal } from '../requests.ts'

interface Listed {
  data: { id: string; request_id: string; type: string; project_id: string; timestamp: string }[]
  next_cursor: string | null
}

const hourMs = 60 * 60 * 1000
const midnight = Date.UTC(2026, 4, 10)

describeEachBackend('guardrail events', (start, backend) => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let other: { id: string }
  const projects: string[] = []
  const ofOther = randomUUID()
  /** Request ids, newest first. */
  const newestFirst: string[] = []

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    other = await plane.makeTenant({ plan: 'pro' })
    for (const owner of [tenant, tenant, other]) projects.push((await plane.makeProject(owner.id)).id)
    // One an hour through two days, of either project and of four types in turn.
    for (let hour = 0; hour < 48; hour++) {
      const type = (['pii_block', 'pii_detection', 'sentinel_jailbreak', 'sentinel_blocklist'] as const)[hour % 4]
      newestFirst.unshift(await write({ projectId: projects[hour % 2] ?? '', type: type ?? 'pii_block' }, hour))
    }
    await write({ tenantId: other.id, projectId: projects[2] ?? '', requestId: ofOther }, 12)
  })

  /** Past the product, as the worker would. */
  async function write(event: Partial<GuardrailEvent>, hour: number): Promise<string> {
    const time = midnight + hour * hourMs
    const fields = eventOf({ tenantId: tenant.id, timestamp: (time / 1000).toFixed(3), ...event })
    const row = guardrailEventRow('1-1', time, readGuardrailEvent(fields) ?? expect.fail('malformed'))
    const entries = Object.entries(row).filter(([, value]) => value !== null) as [string, string | number][]
    const columns = entries.map(([name]) => name)
    const holders = columns.map(() => '?')
    const text = `insert into guardrail_events (${columns.join()}) values (${holders.join()})`
    await plane.query(
      text,
      entries.map(([, value]) => value),
    )
    return row.request_id
  }

  async function list(query = '', tenantId = tenant.id): Promise<Listed> {
    const session = plane.owner.session
    return expectOk(await plane.call('GET', `/v1/tenants/${tenantId}/guardrails/events${query}`, { session })) as Listed
  }
  const requestsIn = async (query: string) => (await list(query)).data.map(event => event.request_id)
  const hours = (isWanted: (hour: number) => boolean) => newestFirst.filter((_id, index) => isWanted(47 - index))

  test('newest first, all of the tenant and nothing of another', async () => {
    expect(await requestsIn('?limit=200')).toEqual(newestFirst)
    expect((await list('', other.id)).data.map(event => event.request_id)).toEqual([ofOther])
  })

  test('an event has the fields of its kind alone', async () => {
    const requestId = randomUUID()
    const kind = { type: 'sentinel_blocklist', actionTaken: 'blocked', entityTypes: undefined } as const
    await write({ ...kind, entityCount: undefined, termCount: 3, requestId, projectId: projects[0] ?? '' }, -2_000)
    const { data } = await list(`?to=2026-03-01`)
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        type: 'sentinel_blocklist',
        tenant_id: tenant.id,
        project_id: projects[0],
        direction: 'input',
        mode: 'enforce',
        action_taken: 'blocked',
        term_count: '3',
        // The row has no source, like those from before the column.
        source: 'user',
        request_id: requestId,
        timestamp: ((midnight - 2_000 * hourMs) / 1000).toFixed(3),
      },
    ])
    const [masked] = (await list('?type=pii_detection&limit=1')).data
    expect(masked).toMatchObject({ entity_types: ['EMAIL_ADDRESS', 'PERSON'], entity_count: '3' })
    expect(masked).not.toHaveProperty('term_count')
    expect(masked).not.toHaveProperty('source')
    await plane.query('delete from guardrail_events where request_id = ?', [requestId])
  })

  describe('filters', () => {
    test('by project, whatever its case, and by type', async () => {
      const ofFirst = hours(hour => hour % 2 === 0)
      expect(await requestsIn(`?project_id=${projects[0]}`)).toEqual(ofFirst)
      expect(await requestsIn(`?project_id=${projects[0]?.toUpperCase()}`)).toEqual(ofFirst)
      expect(await requestsIn('?type=pii_detection')).toEqual(hours(hour => hour % 4 === 1))
      expect(await requestsIn(`?project_id=${projects[1]}&type=pii_detection`)).toEqual(hours(hour => hour % 4 === 1))
      expect(await requestsIn(`?project_id=${projects[1]}&type=pii_block`)).toEqual([])
    })

    test("another tenant's project, one that nobody has and what is none: nothing, and nothing about it", async () => {
      for (const id of [projects[2], randomUUID(), 'all', '']) expect(await requestsIn(`?project_id=${id}`)).toEqual([])
    })

    test.each([
      ['from a time on', '?from=2026-05-11T20:00:00Z', (hour: number) => hour >= 44],
      ['up to a time', '?to=2026-05-10T03:00:00Z', (hour: number) => hour <= 3],
      ['to the millisecond', '?to=2026-05-10T02:59:59.999Z', (hour: number) => hour <= 2],
      ['a date is all of its day', '?from=2026-05-10&to=2026-05-10', (hour: number) => hour < 24],
      ['from a date on', '?from=2026-05-11', (hour: number) => hour >= 24],
      ['without a zone it is UTC', '?from=2026-05-11T20:00', (hour: number) => hour >= 44],
      ['of another zone', '?from=2026-05-11T22:00:00%2B02:00', (hour: number) => hour >= 44],
      ['of another zone, its plus not encoded', '?from=2026-05-11T22:00:00+02:00', (hour: number) => hour >= 44],
      ['both', '?from=2026-05-10T10:00:00Z&to=2026-05-10T12:00:00Z', (hour: number) => hour >= 10 && hour <= 12],
      ['the wrong way round', '?from=2026-05-12&to=2026-05-11', () => false],
      ['long ago and far ahead', '?from=0001-01-01&to=9999-12-31', () => true],
    ])('by time: %s', async (_what, query, isWanted) => {
      expect(await requestsIn(`${query}&limit=200`)).toEqual(hours(isWanted))
    })

    test('pages begin where the time ends, or behind the cursor', async () => {
      const { next_cursor: newest } = await list('?limit=3')
      const first = await list('?to=2026-05-10T05:00:00Z&limit=3')
      expect(first).toEqual(await list(`?to=2026-05-10T05:00:00Z&limit=3&cursor=${newest}`))
      const rest = await list(`?to=2026-05-10T05:00:00Z&limit=3&cursor=${first.next_cursor}`)
      const shown = [...first.data, ...rest.data].map(event => event.request_id)
      expect([shown, rest.next_cursor]).toEqual([hours(hour => hour <= 5), null])
    })

    test('pages end where the time begins', async () => {
      const first = await list('?from=2026-05-11T20:00:00Z&limit=3')
      const rest = await list(`?from=2026-05-11T20:00:00Z&limit=3&cursor=${first.next_cursor}`)
      expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([3, 1, null])
      expect(await list('?from=2026-05-11T20:00:00Z&limit=4')).toMatchObject({ next_cursor: null })
      expect((await list('?from=2027-01-01&limit=4')).data).toEqual([])
    })

    test.each(['2026-02-31', '2026-13-01', '2026-05-10T25:00:00Z', '2026', '1778630400', '', '2026-05-10T10:00:00+99'])(
      'a time that is none: %s',
      async time => {
        const session = plane.owner.session
        const path = `/v1/tenants/${tenant.id}/guardrails/events?from=${encodeURIComponent(time)}`
        expectRefusal(await plane.call('GET', path, { session }), 400, 'from must be an ISO 8601 time')
      },
    )
  })

  test('pages hold every event once, in order, while others come in on either side', async () => {
    const added: string[] = []
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '?limit=7' : `?limit=7&cursor=${cursor}`
      const page: Listed = await list(query)
      expect(page.data.length).toBeLessThanOrEqual(7)
      seen.push(...page.data.map(event => event.request_id))
      added.push(await write({ projectId: projects[0] ?? '' }, 60 + added.length))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(newestFirst)
    expect((await requestsIn('?limit=200')).slice(0, added.length)).toEqual(added.reverse())
    for (const id of added) await plane.query('delete from guardrail_events where request_id = ?', [id])
  })

  test('a cursor of another tenant is refused', async () => {
    const { next_cursor: cursor } = await list('?limit=1')
    const path = `/v1/tenants/${other.id}/guardrails/events?cursor=${cursor}`
    expectRefusal(await plane.call('GET', path, { session: plane.owner.session }), 400, 'cursor is not valid')
  })

  // On SQLite the stream is in the process of the product; what it emits itself is a matter of the inference tests.
  if (backend === 'sqlite') return
  test('what is emitted is listed within seconds', async () => {
    const { log } = createMemoryLog()
    const kv = await createRedisStore({ url: '', ...plane.store, log })
    const fields = eventOf({ tenantId: tenant.id, projectId: projects[1] ?? '' })
    const emittedAt = performance.now()
    await kv.emitEvent(tenant.id, fields, 100)
    await kv.close()
    await expect.poll(() => requestsIn('?limit=1')).toEqual([fields['request_id']])
    // The job runs every second.
    expect(performance.now() - emittedAt).toBeLessThan(roomFor(10_000))
  })
})
