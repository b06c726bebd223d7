// The Python package: its own tests, against the running product and against a server that fails and delays.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBinary } from '../support/programs/find-binary.ts'
import { startProcess } from '../support/server-process.ts'
import { type ClientStage, startClientStage } from './client-stage.ts'

const folder = join(import.meta.dirname, '../../../python')

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage?.end())

test('its tests pass', async () => {
  const { baseURL, apiKey } = stage.projects.openai
  const running = await startProcess({
    command: findBinary('python3') ?? 'python3 is not installed',
    args: ['-B', '-W', 'error', '-m', 'unittest', 'discover', '--start-directory', 'test'],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: 'src',
      SALLYPORT_URL: baseURL.replace(/\/v1$/, ''),
      SALLYPORT_API_KEY: apiKey,
    },
  })
  const code = await running.exitCode
  expect([code, running.stderr()]).toEqual([0, expect.stringMatching(/\nRan 18 tests in .*\n\nOK\n$/)])
})
