// Feedback of end users: what is sent, and what is thrown where the gateway refuses it.
import { expect, test } from 'vitest'
import { createTokenProvider, SallyportError, sendFeedback } from '../src/index.ts'
import { caught, startAnswering } from './answering-server.ts'

const tokenProvider = createTokenProvider(() => ({ token: 'token-of-ada', ttl: 600 }))
const requestId = '019a0000-0000-7000-8000-000000000001'

test('is sent with the token of the end user', async () => {
  const { url, received } = await startAnswering(() => ({ status: 204, body: '' }))
  await sendFeedback({ baseUrl: `${url}/p/a`, tokenProvider }, { requestId, score: -1, comment: 'Too long' })
  await sendFeedback({ baseUrl: `${url}/p/a`, tokenProvider }, { requestId, score: 1 })
  expect(received).toMatchObject([
    { method: 'POST', url: '/p/a/v1/feedback', headers: { authorization: 'Bearer token-of-ada' } },
    { method: 'POST' },
  ])
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([
    { request_id: requestId, score: -1, comment: 'Too long' },
    { request_id: requestId, score: 1 },
  ])
})

test('a refusal is thrown with the gateway’s code', async () => {
  const { url } = await startAnswering(() => ({ status: 404, body: { error: 'request_not_found', message: 'no' } }))
  const error = await caught(sendFeedback({ baseUrl: `${url}/p/a`, tokenProvider }, { requestId, score: 1 }))
  expect(error).toBeInstanceOf(SallyportError)
  expect(error).toMatchObject({ status: 404, message: 'no' })
})

test('a gateway that cannot be reached is thrown as such', async () => {
  const error = await caught(
    sendFeedback({ baseUrl: 'http://127.0.0.1:9/p/a', tokenProvider }, { requestId, score: 1 }),
  )
  expect(error).toMatchObject({ code: 'UNREACHABLE', status: 0 })
})
