// Writes an export page by page, as fast as the client reads, so that memory does not grow with the export.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exchange } from './route.ts'

export async function writePages(
  { request, response, onCutOff }: Exchange,
  headers: Record<string, string>,
  pages: AsyncIterable<string>,
): Promise<void> {
  let isOver = false
  onCutOff(() => {
    isOver = true
    // A partial export must not look like a complete one.
    response.destroy()
  })
  response.writeHead(200, { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (request.method === 'HEAD') return void response.end()
  for await (const text of pages) {
    if (isOver || response.destroyed) return
    if (!response.write(text)) await drained(response)
    // SQLite queries are synchronous: without this pause, other requests would wait for the whole export.
    await nextTurn()
  }
  response.end()
}

function drained(response: Exchange['response']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => {
    response.off('drain', end).off('close', end)
    resolve()
  }
  response.on('drain', end).on('close', end)
  if (response.destroyed) end()
  return promise
}
