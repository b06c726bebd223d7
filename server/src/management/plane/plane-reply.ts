// Writes the responses that are not JSON: empty ones and HTML.

import type { ServerResponse } from 'node:http'

export function replyEmpty(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('cache-control', 'no-store')
  // The runtime would write it in answers to GET, and leave it out in those to HEAD.
  if (status !== 204) response.setHeader('content-length', '0')
  response.end()
}

export function replyHtml(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(html),
    ...headers,
  })
  response.end(html)
}
