// Links between processes of one machine: what a process has sent before it died is read, whatever its reader writes
// meanwhile.
import { expect, test } from 'vitest'
import { createLinks } from '../processes/linked.ts'

const count = 400
/** More than one reading of a socket in all. */
const text = 'x'.repeat(2_000)

test('all that a process delivered arrives, although it died and every reply to it fails', async () => {
  const { first, other, killOther } = await createLinks()
  const taken: number[] = []
  first.serve({
    take(number: number) {
      taken.push(number)
      // Nobody reads it: writing to an end that died breaks the socket.
      first.notify('thanks', [text])
    },
  })
  const delivered = Array.from({ length: count }, (_, number) => other.deliver('take', [number, text]))
  await Promise.all(delivered)
  killOther()
  await first.closed
  expect(taken).toEqual(delivered.map((_, number) => number))
})

test('a delivery is no longer waited for when the link has closed', async () => {
  const { first, other } = await createLinks()
  other.close()
  await other.deliver('take', [])
  await first.closed
  await expect(other.call('take', [])).rejects.toThrow()
})
