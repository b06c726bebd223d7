// The dashboard's questions against a real HTTP server.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { isAlive } from '../src/api.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? status : 404).end(body)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

test('a gateway that says ok is alive', async () => {
  expect(await isAlive(await serve(200, '{"status":"ok"}'))).toBe(true)
})

test.each([
  [503, '{"status":"ok"}'],
  [200, '{"status":"unwell"}'],
  [200, '<html></html>'],
])('an answer of %i %s is not alive', async (status, body) => {
  expect(await isAlive(await serve(status, body))).toBe(false)
})

test('no answer is not alive', async () => {
  expect(await isAlive('http://127.0.0.1:1')).toBe(false)
})
