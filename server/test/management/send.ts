// One request exactly as an attacker would word it: any host name, repeated headers, any path, any bytes as the body;
// and many of them at a time. Knows HTTP alone.
import { Agent, request } from 'node:http'

export interface Sent {
  method: string
  /** The target of the request line, as it is. */
  path: string
  /** Default: the loopback address itself, which is the management host. */
  host?: string
  headers?: readonly (readonly [name: string, value: string])[]
  /** Objects go as JSON, text and bytes as they are. */
  body?: unknown
}

export interface Got {
  status: number
  /** Parsed where it is JSON, else the text. */
  body: unknown
  text: string
}

export type Send = (sent: Sent) => Promise<Got>

const agent = new Agent({ keepAlive: true, maxSockets: 24 })

export function sendTo(port: number): Send {
  return async sent => {
    try {
      return await sendOnce(port, sent)
    } catch (error) {
      // The other side may close an idle connection just when it is used again; a dead server refuses this one too.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
      return await sendOnce(port, sent, false)
    }
  }
}

function sendOnce(port: number, { method, path, host, headers = [], body }: Sent, isKept = true): Promise<Got> {
  const bytes = toBytes(body)
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const all = [
    ['Host', host === undefined ? `127.0.0.1:${port}` : `${host}:${port}`],
    ...(bytes === null || typed ? [] : [['Content-Type', 'application/json']]),
    ...(bytes === null && method === 'GET' ? [] : [['Content-Length', String(bytes?.length ?? 0)]]),
    ...headers,
  ]
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, method, headers: all.flat(), agent: isKept ? agent : false },
      response => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        const finish = () => {
          const text = Buffer.concat(parts).toString()
          const isJson = text !== '' && response.headers['content-type']?.startsWith('application/json')
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, text })
        }
        response.on('end', finish)
        // A stream that a GET opens goes on for minutes: its beginning is enough.
        if (method === 'GET' && response.headers['content-type']?.startsWith('text/event-stream') === true) {
          response.once('data', () => {
            finish()
            call.destroy()
          })
        }
      },
    )
    call.on('error', reject)
    call.end(bytes ?? undefined)
  })
}

function toBytes(body: unknown): Buffer | null {
  if (body === undefined) return null
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Works on all items, at most `width` at a time, and answers in their order. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  width = 20,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as Item, index)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
