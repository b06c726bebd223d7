// Requests to a product that is told to end: one whose body is still on its way keeps it open, others see how it answers.
import { connect } from 'node:net'
import type { Product } from '../support/start-product.ts'

/** The answer comes once the rest is sent. */
export function beginRequest({ port }: Product) {
  const socket = connect(port, '127.0.0.1')
  const answer = new Promise<string>(resolve => {
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', () => resolve(text))
  })
  const body = '{"email":"nobody@example.com","password":"wrong"}'
  const head = `POST /auth/v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 10))
  return { finish: () => socket.write(body.slice(10)), answer }
}

export const statusOf = (url: string) =>
  fetch(url).then(
    response => response.status,
    () => 'refused',
  )
