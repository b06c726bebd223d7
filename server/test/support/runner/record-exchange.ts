// Writes down the successful requests of contract tests with their responses, if RECORD_EXCHANGES names a folder:
// `npm run docs:examples` makes the examples of the API reference of them.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

export interface RecordedExchange {
  method: string
  /** With the query. */
  path: string
  /** What was sent as JSON. */
  body?: unknown
  status: number
  /** JSON or text; undefined without a body. */
  response?: unknown
}

export function recordExchange(exchange: RecordedExchange): void {
  const folder = process.env['RECORD_EXCHANGES']
  // A body in a text of its own is one that tests send because it is not sound.
  if (folder === undefined || exchange.status >= 400 || typeof exchange.body === 'string') return
  // The path form of a project's host is the same route.
  const path = exchange.path.replace(/^\/p\/[\w-]+(?=\/)/, '')
  appendFileSync(join(folder, `${process.pid}.ndjson`), `${JSON.stringify({ ...exchange, path })}\n`)
}
