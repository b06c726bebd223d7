// Opens many streams on one target at the same moment and measures how long the head of each takes. Connects first, so
// that only the target's own connections to its upstream are measured.
// Usage: node bench/heads.ts PORT STREAMS, with BENCH_TOKENS, BENCH_PATH, BENCH_BODY and BENCH_HEADERS as for wrk.lua.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const [port = '', streams = ''] = process.argv.slice(2)
const { BENCH_TOKENS = '', BENCH_PATH = '', BENCH_BODY = '', BENCH_HEADERS = '' } = process.env
const body = readFileSync(BENCH_BODY, 'utf8')
const tokens = readFileSync(BENCH_TOKENS, 'utf8').trim().split('\n')
const requests = tokens.slice(0, Number(streams)).map(line => {
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

const sockets = await Promise.all(requests.map(open))
const heads = await Promise.all(sockets.map((socket, at) => measureHead(socket, requests[at]!)))
const refused = heads.filter(({ status }) => status !== '200').length
const times = heads.map(({ ms }) => ms).sort((one, other) => one - other)
console.log(`RESULT ${JSON.stringify({ refused, p50Ms: times[times.length >> 1], worstMs: times.at(-1) })}`)
// Reads the streams to their end: a target whose streams are aborted does other work than one whose streams are read.
await Promise.all(heads.map(({ ended }) => ended))
for (const socket of sockets) socket.destroy()

async function open(): Promise<Socket> {
  const socket = connect(Number(port), '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

interface Head {
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
    resolve({ ms: performance.now() - sentAt, status: bytes.toString('latin1', 9, 12), ended }),
  )
  socket.on('data', (bytes: Buffer) => {
    if (bytes.toString('latin1').endsWith('0\r\n\r\n')) end()
  })
  socket.once('close', () => {
    reject(new Error('a connection closed before its answer began'))
    end()
  })
  return promise
}
