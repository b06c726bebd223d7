// Sends bytes to a listener exactly as given and reads what comes back: no HTTP client stands between.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface RawExchange {
  text: string
  answers: RawAnswer[]
  closed: boolean
  clientPort: number | undefined
}

const quietSteps = 10

/** Resolves when the server closes, or when nothing more came for `quietMs` after an answer. */
export function sendRaw(port: number, bytes: string | Buffer, { quietMs = 60, timeoutMs = 60_000 } = {}) {
  return new Promise<RawExchange>(resolve => {
    const socket: Socket = connect(port, '127.0.0.1')
    let text = ''
    let clientPort: number | undefined
    let quiet: NodeJS.Timeout | undefined
    // In steps: the server is in this process, and what stalls both is no quiet of the server's.
    const waitQuiet = (steps: number): void => {
      quiet = setTimeout(() => (steps === 1 ? finish(false) : waitQuiet(steps - 1)), quietMs / quietSteps)
    }
    const finish = (closed: boolean) => {
      clearTimeout(quiet)
      clearTimeout(limit)
      socket.destroy()
      resolve({ text, answers: parseAnswers(text), closed, clientPort })
    }
    const limit = setTimeout(() => finish(false), timeoutMs)
    socket.on('connect', () => {
      clientPort = socket.localPort
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    })
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      clearTimeout(quiet)
      waitQuiet(quietSteps)
    })
    socket.on('error', () => finish(true))
    socket.on('close', () => finish(true))
  })
}

export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const status = Number(statusLine.split(' ')[1])
    const length = status < 200 ? 0 : Number(headers['content-length'] ?? rest.length)
    answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

/** The body of an answer as a client takes it, out of its chunks where it is framed. */
export function bodyOf(text: string): string {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  if (!/transfer-encoding: chunked/i.test(text)) return body
  let whole = ''
  for (let rest = body; ; ) {
    const line = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.slice(0, line), 16)
    const end = line + 2 + size
    if (line < 1 || Number.isNaN(size) || rest.slice(end, end + 2) !== '\r\n') throw new Error(`no chunk: ${rest}`)
    if (size === 0) return whole
    whole += rest.slice(line + 2, end)
    rest = rest.slice(end + 2)
  }
}

/** In pieces, each once there is room for it: so it shows how much the server has taken. */
export function writeAll(socket: Socket, text: string | Buffer): void {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  let at = 0
  const write = () => {
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + 64 * 1024)
      at += piece.length
      if (!socket.write(piece)) return
    }
    socket.off('drain', write)
  }
  socket.on('drain', write)
  write()
}

/** Resolves once the server has taken all of it, or nothing more for a second. */
export async function whenStuck(socket: Socket): Promise<void> {
  const taken = () => socket.bytesWritten - socket.writableLength
  for (let before = -1; socket.connecting || before !== taken(); ) {
    before = taken()
    await sleep(1_000)
  }
}

/** A plain request on a project's host. */
export const getModels = (path = '/v1/models', more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a-b-1.localhost\r\n${more}\r\n`

export function postChat(body: string, more = ''): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `POST /v1/chat HTTP/1.1\r\nHost: a-b-1.localhost\r\nContent-Type: application/json\r\n${more}${length}\r\n${body}`
}

/** The same in chunks: not plain, so the runtime reads it. */
export function postChunked(...chunks: string[]): string {
  const framed = chunks.map(chunk => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')
  return `POST /v1/chat HTTP/1.1\r\nHost: a-b-1.localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${framed}0\r\n\r\n`
}
