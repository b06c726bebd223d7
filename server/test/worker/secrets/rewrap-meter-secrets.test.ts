// Secrets of meters are wrapped with the current encryption key; one that cannot be opened stays.
import { randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { meterSecretContext } from '../../../src/crypto/secrets/meter-secret.ts'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { rewrapMeterSecrets } from '../../../src/worker/meters/rewrap-meter-secrets.ts'
import { createHandClock, createMemoryLog, openProcessStore } from '../../kv/stores.ts'
import { openMigrated } from '../../storage/fixtures.ts'
import { addMeter, bearer } from '../meters/meters-stage.ts'

test('the secrets of meters open with the new key alone', async () => {
  const { sql } = await openMigrated()
  const { log, lines } = createMemoryLog()
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(() => outbound.close())
  const kv = await openProcessStore({ clock: createHandClock(1) })
  onTestFinished(() => kv.close())
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const oldBox = createSecretBox({ current: older, previous: [] })
  const newBox = createSecretBox({ current: newer, previous: [] })
  const url = 'https://meters.example.com/events'
  const [tenantId, otherId] = [randomUUID(), randomUUID()]
  const whole = await addMeter(sql, oldBox, tenantId, { url, at: 1 })
  const edited = await addMeter(sql, oldBox, otherId, { url, at: 1 })
  await sql
    .updateTable('meters')
    .set({ url: `${url}/edited` })
    .where('id', '=', edited)
    .execute()
  const box = createSecretBox({ current: newer, previous: [older] })
  await rewrapMeterSecrets(box, 15_000).run({ sql, kv, outbound, now: Date.now, log }, new AbortController().signal)
  const rows = new Map((await sql.selectFrom('meters').selectAll().execute()).map(row => [row.id, row.ciphertext]))
  const context = meterSecretContext({ tenantId, meterId: whole, format: 'cloudevents', url })
  expect(newBox.open(rows.get(whole) ?? '', context)).toBe(bearer)
  expect(rows.get(edited)?.startsWith(oldBox.prefixes[0])).toBe(true)
  expect(lines).toMatchObject([
    { event: 'meter secret cannot be decrypted, set the meter again', fields: { tenant_id: otherId } },
  ])
})
