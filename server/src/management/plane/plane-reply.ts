// Writes responses without a body.

import type { ServerResponse } from 'node:http'

export function replyEmpty(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('cache-control', 'no-store')
  // The runtime would write it in answers to GET, and leave it out in those to HEAD.
  if (status !== 204) response.setHeader('content-length', '0')
  response.end()
}
