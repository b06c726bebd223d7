// The token endpoint in Python.
import { join } from 'node:path'
import { createTokenProvider } from '@sallyport/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBinary } from '../support/programs/find-binary.ts'
import { addressOf, type ExampleStage, examples, startExample, startExampleStage } from './example-stage.ts'

let stage: ExampleStage
beforeAll(async () => {
  stage = await startExampleStage()
})
afterAll(() => stage?.end())

const start = (env: Record<string, string>) => startExample(join(examples, 'python'), { PORT: '0', ...env })

test('mints tokens that the SDK reads as they are', async () => {
  expect(findBinary('python3')).not.toBeNull()
  const address = await addressOf(
    await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey }),
  )
  const provider = createTokenProvider(() => fetch(`${address}/token?fresh=false`))
  const { token, sessionId } = await provider.current()
  expect(sessionId).toMatch(/^[0-9a-f-]{36}$/)
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${stage.projectUrl}/v1/models`, { headers })).status).toBe(200)
  expect((await fetch(`${address}/other`)).status).toBe(404)
})

test('keeps what is wrong with the key from the page, and logs it', async () => {
  const example = await start({
    SALLYPORT_URL: stage.projectUrl,
    SALLYPORT_API_KEY: `service_sk_live_${'0'.repeat(32)}`,
  })
  const response = await fetch(`${await addressOf(example)}/token`)
  expect([response.status, await response.json()]).toEqual([502, { error: 'No token can be minted now' }])
  await expect.poll(() => example.stderr()).toContain('Invalid API key')
})
