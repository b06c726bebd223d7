// Tests heartbeats (HTTP 102) of an inference service whose provider is slow: the gateway waits as long as they arrive,
// but only for a service that shares its internal secret.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sendRaw } from '../../http/raw-request.ts'
import { requestText, runForwarder, startRawUpstream } from './forward-stage.ts'

const bounds = { timeoutMs: 2_000, idleTimeoutMs: 2_000 }
const internalSecret = 'a-secret-between-two-services'
const sign = 'HTTP/1.1 102 Processing\r\n\r\n'
const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'

const request = requestText(['Connection: close'])

async function give(socket: Socket, last: string): Promise<void> {
  for (let turn = 0; turn < 80 && socket.writable; turn++) {
    socket.write(sign.repeat(5))
    await sleep(50)
  }
  socket.write(last)
}

/** Sends more heartbeats than another service may, for longer than the idle timeout, and then `last`. */
async function startSigning(last: string) {
  return await startRawUpstream(socket => void give(socket, last))
}

it('waits for it while it lives', async () => {
  const { port } = await runForwarder(await startSigning(answer), { ...bounds, internalSecret })
  const { answers } = await sendRaw(port, request)
  expect(answers[0]).toMatchObject({ status: 200, body: '{}' })
})

it('gives it up once it is silent', async () => {
  const { port } = await runForwarder(await startSigning(''), { ...bounds, internalSecret })
  const { answers } = await sendRaw(port, request, { quietMs: 10_000 })
  expect(answers[0]?.status).toBe(502)
  expect(answers[0]?.body).toContain('provider_timeout')
})

it('does not wait so for a stranger', async () => {
  const { port } = await runForwarder(await startSigning(answer), bounds)
  expect((await sendRaw(port, request, { quietMs: 10_000 })).answers[0]?.status).toBe(502)
})
