// A batch is written whole if it can be, and else in parts, in the order of its rows.
import { expect, test } from 'vitest'
import { writeApart } from '../../src/collections/write-apart.ts'

class Outage extends Error {}

function createWriting(isRejected: (row: number) => boolean, endsAfter = Number.POSITIVE_INFINITY) {
  const written: number[] = []
  const rejected: number[] = []
  let writes = 0
  return {
    written,
    rejected,
    async write(rows: readonly number[]) {
      if (++writes > endsAfter) throw new Outage('down')
      if (rows.some(isRejected)) throw new Error('no')
      written.push(...rows)
    },
    isOutage: (error: unknown) => error instanceof Outage,
    onRejected: (row: number) => void rejected.push(row),
  }
}

const batch = Array.from({ length: 21 }, (_none, at) => at)

test('only the rows that are rejected are not written', async () => {
  const writing = createWriting(row => row === 4 || row === 20)
  expect(await writeApart(batch, writing)).toEqual([])
  expect(writing.rejected).toEqual([4, 20])
  expect(writing.written).toEqual(batch.filter(row => row !== 4 && row !== 20))
})

test('a batch without a rejected row is one write, an empty one none that fails', async () => {
  const writing = createWriting(() => false, 1)
  expect(await writeApart(batch, writing)).toEqual([])
  expect(writing.written).toEqual(batch)
  expect(
    await writeApart(
      [],
      createWriting(() => true),
    ),
  ).toEqual([])
})

test('what an outage leaves unwritten is returned', async () => {
  const writing = createWriting(row => row === 0, 3)
  const left = await writeApart(batch, writing)
  expect([...writing.written, ...writing.rejected, ...left].sort((a, b) => a - b)).toEqual(batch)
  expect(left.length).toBeGreaterThan(0)
})
