// Tests a client that stops reading: its provider has to wait regardless of its speed, and nothing is lost when the
// client continues.
import { expect, inject, test } from 'vitest'
import { type Flood, flood, maxHeldBytes, openCountingReader } from '../../support/simulated/flood.ts'
import { openaiEvents } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'
import { hello } from '../inference-stage.ts'

const totalBytes = (inject('prove') ? 300 : 64) << 20
const patienceMs = 240_000
const [, event = '', ...ending] = openaiEvents({ text: ['x'.repeat(60_000)] })
const body = JSON.stringify({ ...hello, stream: true })
const request = [
  'POST /p/shop/v1/chat/completions HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${Buffer.byteLength(body)}`,
  '',
  body,
].join('\r\n')

test('a provider waits for a client that stands still, while another reads all of its answer', async () => {
  const floods: Flood[] = []
  const chat = await openChat(
    { write: response => void floods.push(flood(response, { event, totalBytes, last: ending.join('') })) },
    { parts: { timeoutMs: patienceMs, idleTimeoutMs: patienceMs, totalTimeoutMs: patienceMs } },
  )
  const still = openCountingReader(chat.port, request)
  await expect.poll(() => still.received()).toBeGreaterThan(0)
  still.socket.pause()
  // Two more streams over the same path. When they end, the first would be complete too without back-pressure.
  for (const _turn of [1, 2]) await openCountingReader(chat.port, request).whole
  expect(floods.map(({ isWhole }) => isWhole)).toEqual([false, true, true])
  expect(floods[0]?.written).toBeLessThan(maxHeldBytes)
  still.socket.resume()
  await still.whole
  expect([still.received() > totalBytes, chat.rows.length]).toEqual([true, 3])
})
