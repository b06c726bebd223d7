// The content that the request log keeps, over all surfaces, streams and the playground: a value of each of ten types of
// personal data that is masked before the provider gets it is nowhere in it, nor is anything that the provider did not
// get; and nobody can read it in the storage.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectOk } from '../../management/requests.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { everyWire } from '../every-wire.ts'
import { repeatLast } from '../guard/guard-stage.ts'
import { type Answer, openStage, type Stage, type TestProject } from '../inference-stage.ts'

const canaries: Record<string, string> = {
  EMAIL_ADDRESS: 'zoe.roe@example.com',
  PHONE_NUMBER: '+1 (415) 555-0132',
  PERSON: 'Maria Schneider',
  US_SSN: '536-22-8145',
  LOCATION: '123 Main Street, Springfield, IL 62704',
  DATE_TIME: 'the day after tomorrow at 3 p.m.',
  CREDIT_CARD: '4111 1111 1111 1111',
  US_BANK_NUMBER: '004512378901',
  IBAN_CODE: 'NL91 ABNA 0417 1643 00',
  IP_ADDRESS: '203.0.113.77',
}
/** The provider gets it as it is. */
const plain = 'lighthouse-keeper'
const text = [
  `The ${plain} asks:`,
  `Write to ${canaries['EMAIL_ADDRESS']} or call.`,
  `Call ${canaries['PHONE_NUMBER']} now.`,
  `The report was written by ${canaries['PERSON']} for them.`,
  `It is ${canaries['US_SSN']}, he says.`,
  `He lives at ${canaries['LOCATION']} with his cat.`,
  `We meet ${canaries['DATE_TIME']} in the office.`,
  `Card ${canaries['CREDIT_CARD']} expires.`,
  `The account number is ${canaries['US_BANK_NUMBER']} there.`,
  `Pay to ${canaries['IBAN_CODE']} today.`,
  `From ${canaries['IP_ADDRESS']} again.`,
].join('\n')
const settings = {
  request_log: 'content',
  pii_mode: 'enforce',
  pii_entities: Object.fromEntries(Object.keys(canaries).map(type => [type, 'MASK'])),
}

interface Message {
  role: string
  content: { text?: string }[]
}
interface Content {
  messages: Message[]
  answer: Message | null
}

const messages = [{ role: 'user', content: text }]
const requests: [name: string, path: string, body: object][] = [
  ['chat completions', '/v1/chat/completions', { messages }],
  ['a stream of chat completions', '/v1/chat/completions', { messages, stream: true }],
  ['messages', '/v1/messages', { messages, max_tokens: 500 }],
  ['a stream of messages', '/v1/messages', { messages, max_tokens: 500, stream: true }],
  ['responses', '/v1/responses', { input: text, store: false }],
  ['a stream of responses', '/v1/responses', { input: text, store: false, stream: true }],
  ['the result of a tool', '/v1/chat/completions', { messages: withTool() }],
]

function withTool(): object[] {
  const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: JSON.stringify({ text }) } }
  return [
    { role: 'user', content: 'Who?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: text },
  ]
}

/** All texts in a value, those in JSON texts included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const foundIn = (said: string) => Object.values(canaries).filter(value => said.includes(value))

describeEachBackend('the content of every surface', (_start, backend) => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend, { LOG_LEVEL: 'debug' })
    const custom = everyWire.find(({ name }) => name === 'a custom server')
    stage.upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'small' }] } })
    project = await (custom as (typeof everyWire)[number]).makeProject(stage, settings)
  })
  afterAll(() => stage.stop())

  const session = () => stage.harness.owner.session
  const read = async (own: TestProject, id: string): Promise<Content> => {
    const path = `/auth/v1/projects/${own.id}/requests/${id}`
    const call = () => stage.harness.call('GET', path, { session: session() })
    await expect.poll(async () => ((await call()).body as { content?: unknown }).content).toBeDefined()
    return expectOk<{ content: Content }>(await call()).content
  }
  const idOf = ({ headers }: Pick<Answer, 'headers'>) => String(headers['x-request-id'])
  const lastBody = () => JSON.parse(stage.upstream.requests.at(-1)?.body ?? '{}') as object

  /** Its messages are texts that the provider got, and none has a value of the client. */
  function expectMasked(content: Content): void {
    const got = textsIn(lastBody())
    const kept = textsIn(content.messages.map(message => message.content.map(part => part.text)))
    expect(kept.filter(each => !got.includes(each))).toEqual([])
    expect(kept.join()).toContain(plain)
    expect(foundIn(JSON.stringify(content))).toEqual([])
  }

  test.each(requests)('%s', async (_name, path, body) => {
    repeatLast(stage)
    const answer = await project.ask('POST', path, { body })
    expect(answer.status, answer.text).toBe(200)
    const asked = JSON.stringify(lastBody())
    for (const type of Object.keys(canaries)) expect(asked, type).toMatch(new RegExp(`<${type}_[0-9a-f]{12}>`))
    const content = await read(project, idOf(answer))
    expectMasked(content)
    const said = content.answer?.content.map(part => part.text).join('')
    expect(textsIn(lastBody())).toContain(said)
  })

  test('a playground run', async () => {
    repeatLast(stage)
    const path = `/auth/v1/projects/${project.id}/playground?use=deployed`
    const answer = await stage.harness.call('POST', path, { session: session(), body: { messages } })
    expect(answer.status, answer.text).toBe(200)
    expectMasked(await read(project, answer.headers.get('x-request-id') ?? ''))
  })

  test('a stream that its client leaves', async () => {
    stage.script({
      async write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Begun' } }] })}\n\n`)
      },
    })
    const stream = await project.open({ messages })
    await expect.poll(() => stream.text()).toContain('Begun')
    stream.reset()
    expectMasked(await read(project, idOf(stream)))
  })

  test('a count of tokens, and embeddings', async () => {
    const own = await stage.makeProject({ settings: { ...settings, request_log: 'content' } })
    const counted = await own.ask('POST', '/v1/messages/count_tokens', { body: { messages } })
    expect(counted.status, counted.text).toBe(200)
    expect(foundIn(JSON.stringify(await read(own, idOf(counted))))).toEqual([])
    const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }]
    const usage = { prompt_tokens: 3, total_tokens: 3 }
    stage.upstream.on('POST /v1/embeddings', { body: { object: 'list', data, model: 'text-embedding-3-small', usage } })
    const body = { model: 'openai/text-embedding-3-small', input: [text] }
    const embedded = await own.ask('POST', '/v1/embeddings', { body })
    expect(embedded.status, embedded.text).toBe(200)
    const content = await read(own, idOf(embedded))
    expectMasked(content)
    expect(content.answer).toBeNull()
  })

  test('is in no storage, log line, metric or export as a text', async () => {
    const { harness } = stage
    const stored =
      harness.dataDir === null
        ? (await harness.query('select sealed from request_content', [])).map(row => textOfBytes(row['sealed']))
        : globSync(join(harness.dataDir, 'requests', '*')).map(file => readFileSync(file, 'latin1'))
    expect(stored.length).toBeGreaterThan(0)
    const exported = await harness.call('GET', `/auth/v1/projects/${project.id}/requests/export`, {
      session: session(),
    })
    expect(exported.text).toContain('chat_completions')
    const metrics = await (await fetch(`${harness.baseUrl}/metrics`)).text()
    const logged = harness.product.stdout() + harness.product.stderr()
    for (const place of [...stored, exported.text, metrics, logged]) {
      expect(place.includes(plain)).toBe(false)
      expect(foundIn(place)).toEqual([])
      expect(/<(EMAIL_ADDRESS|IBAN_CODE)_[0-9a-f]{12}>/.test(place)).toBe(false)
    }
  })
})

const textOfBytes = (value: unknown): string => Buffer.from(value as Uint8Array).toString('latin1')
