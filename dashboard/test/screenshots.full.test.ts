// The script of the screenshots, without a browser: what it seeds is there, in the past and in the last hour, and its
// pictures become small without a visible change.
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compressPng } from '../screenshots/compress-png.ts'
import { type Installation, owner, startInstallation } from '../screenshots/installation.ts'
import { type Seeded, seed } from '../screenshots/seed.ts'

let installation: Installation
let seeded: Seeded
beforeAll(async () => {
  installation = await startInstallation()
  seeded = await seed(installation, { days: [2, 7], minutes: [3, 2] })
})
afterAll(() => installation?.stop())

const read = async <Body>(path: string): Promise<Body> => {
  const login = await installation.call<{ session_token: string }>('POST', '/auth/v1/sessions', { body: owner })
  const credential = login.session_token
  return installation.call<Body>('GET', `/auth/v1/projects/${seeded.projectId}/${path}`, { credential })
}
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

test('requests are spread over the past days, and over the minutes of the last hour', async () => {
  const { data } = await read<{ data: { day: string; requests: number }[] }>('usage?group_by=day')
  const answeredOn = (day: string) => data.find(row => row.day === day)?.requests
  // The rest was blocked or over a limit.
  expect(answeredOn(dayOf(2))).toBeGreaterThan(12)
  expect(answeredOn(dayOf(1))).toBeGreaterThan(42)
  const { minutes, totals } = await read<{ minutes: { requests: number }[]; totals: { requests: number } }>('activity')
  expect(totals.requests).toBe(5)
  expect(minutes.filter(({ requests }) => requests > 0).map(({ requests }) => requests)).toEqual([3, 2])
})

test('the guardrails have acted, and the draft differs from what is deployed', async () => {
  const path = `report?from=${dayOf(3)}&to=${dayOf(0)}`
  const report = await read<{ would_block: { requests: number } }>(`guardrails/${path}`)
  expect(JSON.stringify(report)).toContain('CREDIT_CARD')
  const settings = await read<Record<string, unknown>>('settings')
  expect(settings).toMatchObject({ rpm_limit: 900, draft_provider_model: 'openai/gpt-4o-mini' })
  expect(settings['provider_model']).toBe('openai/gpt-4.1-mini')
})

test('the tenant has budgets that are partly spent, prices and webhooks, and the new project has routes', async () => {
  const { session_token: credential } = await installation.call<{ session_token: string }>(
    'POST',
    '/auth/v1/sessions',
    {
      body: owner,
    },
  )
  const of = <Body>(path: string) => installation.call<Body>('GET', `/auth/v1/${path}`, { credential })
  const tenant = `tenants/${seeded.tenantId}`
  const { budgets, spent_usd: spent } = await of<{
    budgets: { usd: number; period: 'day' | 'month' }[]
    spent_usd: Record<string, number>
  }>(`${tenant}/budgets`)
  expect(budgets.map(({ period }) => period)).toEqual(['day', 'month'])
  for (const { usd, period } of budgets) expect(spent[period]).toBeLessThan(usd)
  expect((await of<{ data: object[] }>(`${tenant}/prices`)).data).toHaveLength(3)
  expect(await of(`${tenant}/webhooks`)).toHaveLength(2)
  const settings = await of<{ routes: { targets: object[] } }>(`projects/${seeded.newProjectId}/settings`)
  expect(settings.routes.targets).toHaveLength(2)
})

/** A PNG as Chromium writes it, whose rows have these filters. */
function writePng(width: number, rows: number[][]): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(content.length)
    return Buffer.concat([size, Buffer.from(type), content, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows.length, 4)
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('a compressed picture has the colours of its original, whatever filters its rows have', () => {
  const picture = writePng(2, [
    [0, 10, 20, 30, 200, 100, 50],
    [1, 10, 20, 30, 190, 80, 20],
    [2, 0, 0, 0, 0, 0, 0],
    [3, 5, 10, 15, 95, 40, 10],
    [4, 0, 0, 0, 0, 0, 0],
  ])
  const compressed = compressPng(picture)
  const [palette, data] = ['PLTE', 'IDAT'].map(type => compressed.indexOf(type) + 4)
  // The two colours that all rows share, and where each row has which.
  expect(compressed.subarray(palette, (palette ?? 0) + 6).toString('hex')).toBe('0a141ec86432')
  expect(
    compressed
      .toString('hex', data)
      .startsWith(deflateSync(Buffer.from(Array(5).fill([0, 0, 1]).flat()), { level: 9 }).toString('hex')),
  ).toBe(true)
})
