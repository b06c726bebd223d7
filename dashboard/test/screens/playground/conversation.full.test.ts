// A conversation in the playground: draft and deployed each continue their own, with tools, an image, what the
// guardrails find in the messages, and the request as code.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { say } from '../../../../server/test/support/simulated/provider-answers.ts'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamRequest,
} from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, type Screen, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, type Stage } from '../../support/stage.ts'

interface Message {
  role: string
  content: unknown
  tool_calls?: { id: string; function: { name: string } }[]
  tool_call_id?: string
}

let upstream: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let folder: string
const completions = 'POST /v1/chat/completions'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'playground-'))
  upstream = await startUpstream()
  scriptModels()
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OPENAI_BASE_URL: `${upstream.url}/v1` })
  stage = await createStage(dashboard)
  const { call } = dashboard
  await call('PUT', `/auth/v1/tenants/${stage.tenantId}/providers/openai`, { api_key: 'sk-a-key-that-is-long-enough' })
  const settings = `/auth/v1/projects/${stage.projectId}/settings`
  await call('PUT', `${settings}/model`, { provider_model: 'openai/gpt-4.1-mini' })
  // The draft differs by its settings alone.
  await call('PUT', settings, { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'REDACT' } })
})
beforeEach(() => {
  upstream.reset()
  scriptModels()
})
afterAll(async () => {
  await dashboard?.stop()
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

const scriptModels = () => upstream.on('GET /v1/models', { body: { object: 'list', data: [] } })

const messagesOf = ({ body }: UpstreamRequest): Message[] => JSON.parse(body).messages
const bodies = (): UpstreamRequest[] => upstream.requests.filter(({ method }) => method === 'POST')

async function openPlayground(screen: Screen, runs: 'both' | 'draft' | 'deployed'): Promise<void> {
  await screen.choose('Run with', runs)
  await screen.waitForText(runs === 'both' ? 'the draft has no other model.' : 'openai/gpt-4.1-mini')
}

const columns = (screen: Screen): Promise<string[]> =>
  screen.page.$$eval('main section[aria-labelledby]', all => all.map(one => (one as HTMLElement).innerText))

test('a reply continues the conversation of each column, and marks what the guardrails find in it', async () => {
  let answers = 0
  upstream.on(completions, () => {
    answers += 1
    return say('openai', { text: [`Answer ${answers}.`] }, true)
  })
  await dashboard.visit(`/app/projects/${stage.projectId}/playground`, async screen => {
    await openPlayground(screen, 'both')
    await screen.fill('Message', 'My address is ada@example.com')
    await screen.click('Run')
    await expect.poll(async () => (await columns(screen)).every(text => /Answer [12]\./.test(text))).toBe(true)
    // Draft settings are tried without a draft model; only they have the guardrail.
    await screen.page.waitForSelector('main section[aria-labelledby] mark')
    expect(await screen.page.$$eval('main mark', all => all.map(mark => mark.textContent))).toEqual([
      expect.stringMatching(/^ada@example\.comEmail address: Redact, score/),
    ])
    await screen.expectAccessible()

    await screen.fill('Message', 'Where do I live?')
    await screen.click('Reply')
    await expect.poll(async () => (await columns(screen)).every(text => /Answer [34]\./.test(text))).toBe(true)
    const replies = bodies().slice(2).map(messagesOf)
    for (const messages of replies) {
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
      expect(messages.at(-1)?.content).toBe('Where do I live?')
    }
    expect(replies.map(([first]) => first?.content).sort()).toEqual([
      expect.not.stringContaining('ada@example.com'),
      'My address is ada@example.com',
    ])
    // Each column goes on with its own answer.
    expect(new Set(replies.map(messages => messages[1]?.content))).toEqual(new Set(['Answer 1.', 'Answer 2.']))
    expect(await screen.valueOf('Message')).toBe('')
    await screen.expectAccessible()
  })
})

test('tools and an image are sent, and the reply to a tool call is its result', async () => {
  upstream.on(completions, request =>
    messagesOf(request).length === 1
      ? say('openai', { calls: [{ id: 'call_1', name: 'look_up', pieces: ['{"city":', '"Rome"}'] }] }, true)
      : say('openai', { text: ['It is sunny.'] }, true),
  )
  const image = join(folder, 'dot.png')
  writeFileSync(image, Buffer.from('iVBORw0KGgo=', 'base64'))
  const tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }
  await dashboard.visit(`/app/projects/${stage.projectId}/playground`, async screen => {
    await openPlayground(screen, 'deployed')
    await screen.clickOn('summary ::-p-text(Parameters, tools and images)')
    await screen.fill('Tools (JSON, optional)', 'no JSON')
    await screen.click('Run')
    await screen.waitForText('Tools must be a JSON array')
    await screen.fill('Tools (JSON, optional)', JSON.stringify([tool]))
    await screen.fill('Temperature (optional)', '0.2')
    const input = (await screen.page.waitForSelector('input[type=file]')) as unknown as {
      uploadFile(path: string): Promise<void>
    }
    await input.uploadFile(image)
    await screen.page.waitForSelector('aria/Remove dot.png')
    await screen.expectAccessible()
    await screen.fill('Message', 'How is the weather here?')
    await screen.click('Run')
    await screen.waitForText('look_up({"city":"Rome"})')
    await screen.fill('Message', 'sunny')
    await screen.click('Reply')
    await screen.waitForText('It is sunny.')
  })
  const [first, second] = bodies()
  expect(JSON.parse(first?.body ?? '{}')).toMatchObject({
    temperature: 0.2,
    tools: [{ function: { name: 'look_up' } }],
  })
  const content = [
    { type: 'text', text: 'How is the weather here?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ]
  expect(messagesOf(first as UpstreamRequest)).toEqual([expect.objectContaining({ role: 'user', content })])
  expect(messagesOf(second as UpstreamRequest).slice(1)).toEqual([
    expect.objectContaining({ role: 'assistant', tool_calls: [expect.objectContaining({ id: 'call_1' })] }),
    expect.objectContaining({ role: 'tool', tool_call_id: 'call_1', content: 'sunny' }),
  ])
})

test('the request is shown as code in three languages', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/playground`, async screen => {
    await openPlayground(screen, 'deployed')
    await screen.fill('Message', 'It’s Ada\'s "turn"')
    await screen.click('Show as code')
    const textOf = (label: string) =>
      screen.page
        .waitForSelector(`[aria-label="${label}"] pre`)
        .then(pre => pre?.evaluate(one => one.textContent ?? ''))
    expect(await textOf('TypeScript code')).toContain(`const baseUrl = '${dashboard.origin}/p/${stage.slug}'`)
    await screen.expectAccessible()
    await screen.page.focus('[role=tab][aria-selected=true]')
    await screen.page.keyboard.press('ArrowRight')
    expect(await textOf('Python code')).toContain('"content": "It’s Ada\'s \\"turn\\""')
    await screen.page.keyboard.press('ArrowRight')
    // A shell reads the quotes as they were typed.
    expect(await textOf('curl command')).toContain(`"content": "It’s Ada'\\''s \\"turn\\""`)
    await screen.page.keyboard.press('Escape')
    await screen.page.waitForFunction(() => document.querySelector('dialog') === null)
  })
})
