// Tests the compiled raw HTTP abuse cases against a project's host: invalid requests are rejected, none reaches the
// inference port, and none causes an internal error.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendRaw } from '../http/raw-request.ts'
import { openForSuite } from '../support/runner/when-done.ts'
import { openStage } from './gateway-stage.ts'

interface Case {
  name: string
  raw_latin1_base64: string
  required: string
}

const path = join(import.meta.dirname, '../data/security/http_cases.json')
const { cases }: { cases: Case[] } = JSON.parse(readFileSync(path, 'utf8'))

const opened = openForSuite(async () => {
  const stage = await openStage()
  return { stage, slug: (await stage.makeProject({ rpm_limit: 10_000 })).slug }
})

test.each(cases)('$name → $required', async ({ raw_latin1_base64, required }) => {
  const { stage, slug } = opened()
  const host = `${slug}.localhost`
  const raw = Buffer.from(raw_latin1_base64, 'base64')
    .toString('latin1')
    .replaceAll('a-b-1.pub', host)
    .replace(/^(host: )h\r$/gim, `$1${host}\r`)
  const { answers } = await sendRaw(stage.port, raw)
  expect(answers).toHaveLength(1)
  const status = answers[0]?.status ?? 0
  const named = [...required.matchAll(/\b[1-5][0-9]{2}\b/g)].map(([text]) => Number(text))
  const mayPass = !/^\d{3}$/.test(required) || named.includes(200)
  expect([...named, ...(mayPass ? [400, 401, 404, 405] : [])]).toContain(status)
  expect(answers[0]?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(stage.calls).toHaveLength(0)
})
