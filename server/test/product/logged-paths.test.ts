// Tests that the log never has a path that a client sent: it may hold the name of a user or a secret. The log accepts
// words of letters, so that only a route's pattern may be given to it.
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'

const canary = 'zoeroecanary'
let stage: Stage
let project: TestProject
beforeAll(async () => {
  stage = await openStage('sqlite', { LOG_LEVEL: 'debug' }, { own: true })
  project = await stage.makeProject()
})
afterAll(() => stage.stop())

interface Sent {
  host: string
  method: string
  path: string
}

/** Returns the id that the log line of the request has. */
async function send({ host, method, path }: Sent): Promise<string> {
  const { port } = stage.harness.product
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = sendRequest({ host: '127.0.0.1', port, agent: false, method, path, headers: { host } })
    request.once('response', resolve).once('error', reject)
    request.end()
  })
  response.resume()
  return String(response.headers['x-request-id'])
}

const output = () => stage.harness.product.stdout() + stage.harness.product.stderr()

function lineOf(id: string): Record<string, unknown> | undefined {
  const found = output()
    .split('\n')
    .find(line => line.includes(id) && line.includes('"event":"request"'))
  return found === undefined ? undefined : (JSON.parse(found) as Record<string, unknown>)
}

const own = () => new URL(stage.harness.baseUrl).host
const hosts: Record<string, () => string> = {
  'the management plane': own,
  'the data plane': () => `${project.slug}.localhost`,
  'an unknown project': () => 'brave-heron-1234.localhost',
  'an unknown host': () => 'elsewhere.example.org',
}
const paths = [`/${canary}/letters`, `/auth/v1/${canary}`, `/v1/${canary}/letters`, `/v1/admin/${canary}`]

test.each(Object.keys(hosts))('%s', async name => {
  const host = hosts[name]?.() ?? ''
  for (const path of [...paths, `/p/${project.slug}/v1/${canary}`, `/p/${canary}/letters`]) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const id = await send({ host, method, path })
      await expect.poll(() => lineOf(id), { message: `${method} ${path}` }).toBeDefined()
      if (host !== own()) expect(lineOf(id), `${method} ${path}`).not.toHaveProperty('route')
    }
  }
  expect(output()).not.toContain(canary)
})
