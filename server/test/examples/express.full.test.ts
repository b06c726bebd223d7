// The Express example, installed from its lockfile: a page on another origin streams an answer through the OpenAI
// client.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import {
  addressOf,
  allowOrigin,
  chat,
  type ExampleStage,
  examples,
  startExample,
  startExampleStage,
} from './example-stage.ts'

let stage: ExampleStage
let browser: TestBrowser
let clone: string
beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'sallyport-express-'))
  const isSource = (path: string) => !path.includes('node_modules')
  cpSync(join(examples, 'express'), join(clone, 'examples/express'), { recursive: true, filter: isSource })
  cpSync(join(examples, '../sdk'), join(clone, 'sdk'), { recursive: true, filter: isSource })
  await promisify(execFile)('npm', ['ci', '--prefer-offline'], { cwd: join(clone, 'examples/express') })
  stage = await startExampleStage()
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
  rmSync(clone, { recursive: true })
})

const start = (env: Record<string, string>) => startExample(join(clone, 'examples/express'), { PORT: '0', ...env })

test('a page on another origin shows the answer, and why it gets none', async () => {
  const example = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey })
  const origin = await addressOf(example)
  const page = await browser.openPage(origin)
  expect(await chat(page, 'Hello')).toContain(`is this page's origin, ${origin}, in cors_origins, and deployed?`)
  await allowOrigin(stage, origin)
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  expect(await chat(page, 'Hello')).toBe('Grüße, 世界')
  await stage.stop(stage.project)
  expect(await chat(page, 'Hello')).toBe('403 Service disabled by kill switch')
  await page.close()
})

test('a token that cannot be minted is shown in the gateway’s words', async () => {
  const apiKey = `service_sk_live_${'0'.repeat(32)}`
  const example = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: apiKey })
  const page = await browser.openPage(await addressOf(example))
  expect(await chat(page, 'Hello')).toBe('502 Invalid API key')
  await page.close()
})

test('without its settings it says which are missing', async () => {
  const example = await start({})
  expect(await example.exitCode).toBe(1)
  expect(example.stderr()).toMatch(/^Set SALLYPORT_URL .* SALLYPORT_API_KEY/)
})
