// The Next.js route handler, by the command that calls it without Next.js.
import { join } from 'node:path'
import { createTokenProvider } from '@sallyport/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExampleStage, examples, startExample, startExampleStage } from './example-stage.ts'

let stage: ExampleStage
beforeAll(async () => {
  stage = await startExampleStage()
})
afterAll(() => stage?.end())

test('the handler refuses strangers, and mints for who is signed in', async () => {
  const env = { SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey }
  const example = await startExample(join(examples, 'nextjs-route'), env)
  expect(await example.exitCode).toBe(0)
  const [stranger, minted = ''] = example.stdout().trim().split('\n')
  expect(stranger).toBe('401 {"error":"Sign in first"}')
  expect(minted).toMatch(/^200 /)
  const token = await createTokenProvider(() => JSON.parse(minted.slice(4)))()
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${stage.projectUrl}/v1/models`, { headers })).status).toBe(200)
})
