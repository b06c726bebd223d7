// Sends one DNS message to a server over a new TCP connection and reads the response. TCP has no size limit to exceed,
// accepts no response from elsewhere, and reports a server that is down.
import { connect } from 'node:net'
import { GrowingBuffer } from '../http/growing-buffer.ts'
import { DnsFailure } from './dns-failure.ts'

export interface DnsServer {
  host: string
  port: number
}

/** The length field and the largest message it can announce. */
const maxAnswerBytes = 2 + 65_535

export async function queryOverTcp(server: DnsServer, message: Buffer, signal: AbortSignal): Promise<Buffer> {
  if (signal.aborted) throw noAnswer()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const socket = connect(server)
  const onAbort = () => reject(noAnswer())
  signal.addEventListener('abort', onAbort, { once: true })
  let isConnected = false
  const received = new GrowingBuffer(maxAnswerBytes)
  socket.on('connect', () => {
    isConnected = true
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length)
    socket.write(Buffer.concat([length, message]))
  })
  socket.on('data', (chunk: Buffer) => {
    received.add(chunk)
    if (received.length < 2) return
    const all = received.whole()
    const end = 2 + all.readUInt16BE(0)
    if (all.length >= end) resolve(all.subarray(2, end))
  })
  socket.on('error', error => reject(isConnected ? brokenOff() : unreachable(error)))
  socket.on('close', () => reject(brokenOff()))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}

function unreachable(error: Error): DnsFailure {
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new DnsFailure('unreachable', 'The name in DNS_RFC2136_SERVER does not resolve to an address.')
  }
  if (code === 'ETIMEDOUT') return noAnswer()
  return new DnsFailure('unreachable', 'The DNS server is unreachable: the connection failed.')
}

function brokenOff(): DnsFailure {
  return new DnsFailure('no_answer', 'The DNS server closed the connection without a response.')
}

function noAnswer(): DnsFailure {
  return new DnsFailure('no_answer', 'The DNS server did not respond in time.')
}
