// Which usage rows get an event, on both databases: all of a tenant with a meter, each once, whenever they are written
// and in whichever order; and when events are deleted.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addUsageRows } from '../../../src/storage/add-usage-rows.ts'
import { changeMeter, markMeterDeleted } from '../../../src/storage/meters/meter-rows.ts'
import { putCustomers } from '../../../src/storage/meters/subjects.ts'
import { transact } from '../../../src/storage/transact.ts'
import { backends } from '../webhooks/deliver-webhooks-stage.ts'
import { addTenant, minute, openStage, usageRow } from './meters-stage.ts'

const idsOf = (rows: readonly { request_id: string }[]) => rows.map(row => row.request_id).sort()
const dayMs = 24 * 60 * minute
const url = 'http://127.0.0.1:9/'

describe.each(backends)('on %s', backend => {
  test('each row of the tenant since the meter was made has one event', async () => {
    const { sql, clock, addMeter, addRows, queue, events } = await openStage(backend)
    await addRows(3, clock.now() - 1)
    const id = await addMeter({ url })
    const foreign = await addTenant(sql)
    await addUsageRows({ sql, now: clock.now }, [usageRow(foreign, clock.now())])
    const rows = [...(await addRows(2_500, clock.now())), ...(await addRows(10, clock.now() + 5))]
    await queue()
    expect(await events(id)).toEqual([])
    clock.advance(2_005)
    await queue()
    expect(idsOf(await events(id))).toEqual(idsOf(rows))
    clock.advance(30 * minute)
    await queue()
    expect(idsOf(await events(id))).toEqual(idsOf(rows))
  })

  test('a row that another replica writes behind the first pass has its event a quarter of an hour later', async () => {
    const { clock, addMeter, addRows, queue, events } = await openStage(backend)
    const id = await addMeter({ url })
    const at = clock.now() + 1_000
    clock.advance(minute)
    await addRows(5, clock.now() - 3_000)
    await queue()
    // Settled before those, and written after them: its process was slow, or its clock is behind.
    const [behind] = await addRows(1, at)
    await queue()
    expect(await events(id)).toHaveLength(5)
    clock.advance(15 * minute)
    await queue()
    expect(idsOf(await events(id))).toContain(behind?.request_id)
    expect(await events(id)).toHaveLength(6)
  })

  test('a row that is written hours late, as one from the shelf, brings its event along', async () => {
    const { sql, clock, place, addMeter, addRows, queue, events } = await openStage(backend)
    const before = clock.now() - 1
    const id = await addMeter({ url })
    const at = clock.now() + 1_000
    clock.advance(60 * minute)
    await addRows(1, clock.now() - 3_000)
    await queue()
    clock.advance(60 * minute)
    await queue()
    expect(await events(id)).toHaveLength(1)
    const late = usageRow(place, at)
    const tooOld = usageRow(place, before)
    const foreign = usageRow(await addTenant(sql), at)
    await addUsageRows({ sql, now: clock.now }, [late, tooOld, foreign])
    expect(await events(id)).toHaveLength(2)
    // The shelf delivers it again, beside another one.
    const another = usageRow(place, at + 1)
    await addUsageRows({ sql, now: clock.now }, [late, another])
    await queue()
    const found = await events(id)
    expect(found).toHaveLength(3)
    expect(idsOf(found)).toEqual(expect.arrayContaining(idsOf([late, another])))
  })

  test('a row that is written while the pass goes by has its event, in two replicas at once', async () => {
    const { sql, second, clock, place, addMeter, queue, events } = await openStage(backend)
    const id = await addMeter({ url })
    const written: string[] = []
    const write = async (database: typeof sql) => {
      for (let batch = 0; batch < 20; batch++) {
        // The clocks of replicas differ.
        const rows = Array.from({ length: 20 }, () =>
          usageRow(place, clock.now() - Math.floor(Math.random() * 4 * minute)),
        )
        const since = rows.filter(row => row.created_at >= Date.UTC(2026, 4, 1))
        await addUsageRows({ sql: database, now: clock.now }, since)
        written.push(...idsOf(since))
        clock.advance(5_000)
      }
    }
    const pass = async () => {
      for (let round = 0; round < 30; round++) await queue()
    }
    await Promise.all([write(sql), write(second), pass(), pass()])
    clock.advance(15 * minute)
    await queue()
    expect(idsOf(await events(id))).toEqual(written.sort())
  })

  test('a first meter does not go through the rows of weeks before it, and a second one misses none', async () => {
    const { sql, clock, secretBox, addMeter, addRows, queue, events } = await openStage(backend)
    await addRows(50, clock.now() - 20 * dayMs)
    await queue()
    const cursors = () => sql.selectFrom('late_indexes').selectAll().execute()
    expect(await cursors()).toEqual([])
    const id = await addMeter({ url })
    clock.advance(minute)
    const rows = await addRows(3, clock.now())
    clock.advance(minute)
    await queue()
    expect(idsOf(await events(id))).toEqual(idsOf(rows))
    await transact(sql, trx => markMeterDeleted(trx, rows[0]?.tenant_id ?? '', clock.now()))
    clock.advance(dayMs)
    await addRows(3, clock.now() - 1)
    const ciphertext = secretBox.seal('secret', { purpose: 'p', tenantId: 't', rowId: 'r' })
    const again = await addMeter({ url })
    await transact(sql, trx =>
      changeMeter(trx, again, {
        format: 'stripe',
        url,
        ciphertext,
        signs: 0,
        event_name: 'tokens',
        value: 'requests',
        subject: 'tier',
        updated_at: clock.now(),
      }),
    )
    const later = await addRows(2, clock.now())
    clock.advance(3_000)
    await queue()
    expect(idsOf(await events(again))).toEqual(idsOf(later))
  })

  test('sent events are deleted once no pass can find their rows again; old ones are dropped and counted', async () => {
    const { sql, clock, addMeter, addRows, queue, tidy, events, meter, counts, lines } = await openStage(backend)
    const id = await addMeter({ url })
    await addRows(700, clock.now())
    clock.advance(3_000)
    await queue()
    await sql.updateTable('meter_events').set({ state: 'sent' }).execute()
    await tidy()
    expect(await events(id)).toHaveLength(700)
    clock.advance(16 * minute)
    await queue()
    await tidy()
    expect(await events(id)).toEqual([])
    await queue()
    expect(await events(id)).toEqual([])
    await addRows(600, clock.now())
    clock.advance(3_000)
    await queue()
    await sql
      .updateTable('meter_events')
      .set({ state: 'rejected', attempts: 3, due_at: clock.now() + 40 * dayMs })
      .execute()
    clock.advance(35 * dayMs - 4_000)
    await tidy()
    expect(await events(id)).toHaveLength(600)
    clock.advance(4_000)
    await tidy()
    expect(await events(id)).toEqual([])
    expect(await meter(id)).toMatchObject({ dropped: 600, sent: 0 })
    expect(counts.dropped).toBe(600)
    expect(lines.at(-1)).toMatchObject({
      event: 'meter events dropped, the receiver was unavailable for too long',
      fields: { count: 600 },
    })
  })

  test('a deleted meter loses its events and subjects, and itself when nothing can add any more', async () => {
    const { sql, clock, place, addMeter, addRows, queue, tidy, events } = await openStage(backend)
    const id = await addMeter({ url })
    await addRows(1_200, clock.now())
    clock.advance(3_000)
    await queue()
    const customers = new Map(Array.from({ length: 700 }, () => [randomUUID(), 'cus_1']))
    await transact(sql, trx => putCustomers(trx, { tenantId: place.tenantId, meterId: id }, customers))
    await transact(sql, trx => markMeterDeleted(trx, place.tenantId, clock.now()))
    const next = await addMeter({ url })
    await tidy()
    expect(await events(id)).toEqual([])
    expect(await sql.selectFrom('meter_subjects').selectAll().execute()).toEqual([])
    const ids = async () => (await sql.selectFrom('meters').select('id').execute()).map(row => row.id).sort()
    expect(await ids()).toEqual([id, next].sort())
    clock.advance(3 * minute)
    await tidy()
    expect(await ids()).toEqual([next])
  })
})
