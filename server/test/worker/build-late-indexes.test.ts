// The worker builds the index of usage rows by project for rows that are a quarter of an hour old.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addUsageRows } from '../../src/storage/add-usage-rows.ts'
import { builtAfterMs } from '../../src/storage/late-index/late-index.ts'
import { buildLateIndexes } from '../../src/worker/build-late-indexes.ts'
import { sampleRows } from '../storage/fixtures.ts'
import { backends, openDrainStage, run } from './drain-events-stage.ts'

test.each(backends)('entries are built for rows that are old enough, on %s', async backend => {
  const stage = await openDrainStage(backend)
  const now = Date.UTC(2026, 4, 1, 12)
  const rows = [now - builtAfterMs - 1, now - builtAfterMs, now - builtAfterMs + 1, now].map(created_at => ({
    ...sampleRows.usage_records[0],
    request_id: randomUUID(),
    created_at,
  }))
  await addUsageRows({ sql: stage.sql, now: () => now - builtAfterMs }, rows)
  const built = async () =>
    (await stage.sql.selectFrom('usage_records_by_project').select('request_id').execute())
      .map(({ request_id }) => request_id)
      .sort()
  const idsOf = (some: typeof rows) => some.map(({ request_id }) => request_id).sort()
  await buildLateIndexes.run({ ...stage, now: () => now }, AbortSignal.abort())
  expect(await built()).toEqual([])
  await run(buildLateIndexes.run, { ...stage, now: () => now })
  expect(await built()).toEqual(idsOf(rows.slice(0, 2)))
  await run(buildLateIndexes.run, { ...stage, now: () => now + builtAfterMs })
  expect(await built()).toEqual(idsOf(rows))
})
