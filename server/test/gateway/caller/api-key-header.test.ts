// Tests on every route of the data plane which header the token may come in: `X-Api-Key` only where Anthropic's clients
// send it, and never against an `Authorization` header.
import { describe, expect, test } from 'vitest'
import { routes } from '../../../src/gateway/routes.ts'
import { openForSuite } from '../../support/runner/when-done.ts'
import { openStage } from '../gateway-stage.ts'

const accepting = ['POST /v1/messages', 'POST /v1/messages/count_tokens', 'GET /v1/models', 'GET /v1/models/:id']
const all = routes.map(({ method, pattern }) => ({ method, pattern, name: `${method} ${pattern}` }))

const opened = openForSuite(async () => {
  const stage = await openStage()
  const project = await stage.makeProject({ rpm_limit: 10_000 })
  return { stage, project, good: stage.tokenFor(project) }
})

type Row = (typeof all)[number]

/** Whether the caller is known with these headers; a body that the route cannot read is no matter. */
async function isKnown({ method, pattern }: Row, headers: Record<string, string>): Promise<boolean> {
  const body = method === 'POST' ? { max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] } : undefined
  const { stage, project } = opened()
  const answer = await stage.call(project, method, pattern.replace(':id', 'gpt-4o'), { headers, body })
  return answer.status !== 401
}

test.each(all)('$name', async row => {
  const { good } = opened()
  expect(await isKnown(row, { authorization: `Bearer ${good}` })).toBe(true)
  expect(await isKnown(row, { 'x-api-key': good })).toBe(accepting.includes(row.name))
})

test('those that accept the header are still served', () => {
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(accepting))
})

describe('with both headers, Authorization alone counts', () => {
  test.each(all.filter(({ name }) => accepting.includes(name)))('$name', async row => {
    const { good } = opened()
    expect(await isKnown(row, { authorization: `Bearer ${good}`, 'x-api-key': 'sk-ant-of-the-environment' })).toBe(true)
    for (const authorization of ['Bearer sk-of-the-environment', 'Basic dXNlcjpwYXNz', '']) {
      expect(await isKnown(row, { authorization, 'x-api-key': good }), authorization).toBe(false)
    }
  })
})
