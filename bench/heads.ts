// Sends many requests to one target at the same moment, each on a connection of its own, and measures how long the head
// of each answer takes. Connects first, so that only the target's own connections to its upstream are measured, or,
// with `connecting`, counts from the connect.
// Usage: node bench/heads.ts PORT REQUESTS [connecting], with BENCH_TOKENS, BENCH_PATH, BENCH_BODY and BENCH_HEADERS as
// for wrk.lua.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const [port = '', count = '', from = ''] = process.argv.slice(2)
const { BENCH_TOKENS = '', BENCH_PATH = '', BENCH_BODY = '', BENCH_HEADERS = '' } = process.env
const body = readFileSync(BENCH_BODY, 'utf8')
const tokens = readFileSync(BENCH_TOKENS, 'utf8').trim().split('\n')
const requests = tokens.slice(0, Number(count)).map(line => {
  const [host = '', token = ''] = line.split(' ')
  const lines = [
    `POST ${BENCH_PATH} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...BENCH_HEADERS.split('\n').filter(Boolean),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
})

const heads = await (from === 'connecting' ? connectAtOnce() : sendAtOnce())
const refused = heads.filter(({ status }) => status !== '200').length
const times = heads.map(({ ms }) => ms).sort((one, other) => one - other)
console.log(`RESULT ${JSON.stringify({ refused, p50Ms: times[times.length >> 1], worstMs: times.at(-1) })}`)
// Reads the answers to their end: a target whose streams are aborted does other work than one whose streams are read.
await Promise.all(heads.map(({ ended }) => ended))
for (const { socket } of heads) socket.destroy()

async function sendAtOnce(): Promise<Head[]> {
  const sockets = requests.map(open)
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  return await Promise.all(sockets.map((socket, at) => measureHead(socket, requests[at]!)))
}

function connectAtOnce(): Promise<Head[]> {
  return Promise.all(requests.map(request => measureHead(open(), request)))
}

function open(): Socket {
  return connect(Number(port), '127.0.0.1').setNoDelay(true)
}

interface Head {
  socket: Socket
  ms: number
  status: string
  ended: Promise<void>
}

function measureHead(socket: Socket, request: string): Promise<Head> {
  const { promise, resolve, reject } = Promise.withResolvers<Head>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const sentAt = performance.now()
  socket.write(request)
  socket.once('data', (bytes: Buffer) =>
    resolve({ socket, ms: performance.now() - sentAt, status: bytes.toString('latin1', 9, 12), ended }),
  )
  socket.on('data', (bytes: Buffer) => {
    // A whole answer is small enough for one packet.
    if (from === 'connecting' || bytes.toString('latin1').endsWith('0\r\n\r\n')) end()
  })
  socket.once('error', reject)
  socket.once('close', () => {
    reject(new Error('a connection closed before its answer began'))
    end()
  })
  return promise
}
