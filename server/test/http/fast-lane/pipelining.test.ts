// A client that asks on and on and reads nothing: what the server takes of it is bounded, and nothing is lost.
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { FastLaneRequest } from '../../../src/http/fast-lane/request.ts'
import { readBody } from '../../../src/http/read-body.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { getModels, parseAnswers, postChat, whenStuck, writeAll } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const kilobyte = 1024

it('is read a little ahead while an answer is under way, and goes on with it', async () => {
  const gate = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const { port } = await runListener({
    plane: async (request, response) => {
      if (request.url === '/v1/slow') {
        sockets.push(request.socket)
        await gate.promise
      }
      const body = request.method === 'POST' ? (await readBody(request, { maxBytes: 100_000 })).value : ''
      replyJson(response, 200, { size: String(body).length, isPlain: request instanceof FastLaneRequest })
    },
  })
  const size = 50 * kilobyte
  const count = 400
  const socket = connect(port, '127.0.0.1', () => socket.write(getModels('/v1/slow')))
  onTestFinished(() => void socket.destroy())
  let told = ''
  socket.on('data', piece => {
    told += piece.toString('latin1')
  })
  await expect.poll(() => sockets.length).toBe(1)
  writeAll(socket, postChat(`"${'x'.repeat(size)}"`).repeat(count))
  await whenStuck(socket)
  // What may be read ahead, and the reading that goes beyond.
  expect(sockets[0]!.bytesRead).toBeLessThan(2 * 64 * kilobyte + kilobyte)
  gate.resolve()
  await expect.poll(() => parseAnswers(told).length).toBe(1 + count)
  const answers = parseAnswers(told).map(({ body }) => JSON.parse(body))
  expect(answers.slice(1)).toEqual(Array(count).fill({ size, isPlain: true }))
})
