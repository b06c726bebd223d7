// Tests that each surface gives cached answers again in its own format: messages, responses and vectors.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventStream } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import {
  getResponse,
  responseEventsOf,
  textOfResponse,
  type WireResponse,
} from '../../surfaces/responses/response-stage.ts'
import { type Answer, openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { makeProjectOf, type ProviderWire, play, scriptKeyChecks, sixWires } from '../six-wires.ts'

const header = 'x-sallyport-cache'
const settings = { cache: { ttl_seconds: 3600 } }
type Case = [name: string, path: string, more: object]
const seen = (answer: Answer) => [answer.status, answer.headers[header]]
const hitAndMiss = [
  [200, 'miss'],
  [200, 'hit'],
]

let stage: Stage
beforeAll(async () => {
  stage = await openStage('sqlite')
  scriptKeyChecks(stage)
})
afterAll(() => stage.stop())

describe.each(sixWires.map(wire => [wire.provider, wire] as const))(
  'in front of %s',
  (_provider, wire: ProviderWire) => {
    let project: TestProject
    let answers = 0
    beforeAll(async () => {
      project = await makeProjectOf(stage, wire, settings)
    })
    beforeEach(() => play(stage, wire, { text: ['An', 'swer ', String(++answers)] }))

    // OpenAI gets a response in its own format, which has tests below.
    const foreign: Case[] = wire.provider === 'openai' ? [] : [['responses', '/v1/responses', {}]]
    test.each<Case>([
      ['chat completions', '/v1/chat/completions', {}],
      ['messages', '/v1/messages', { max_tokens: 100 }],
      ...foreign,
    ])('%s, streams and whole ones', async (name, path, more) => {
      const said = `${name} of ${wire.provider}`
      for (const [first, second] of [
        [false, false],
        [true, true],
        [true, false],
        [false, true],
      ]) {
        const text = `${said} ${first} ${second}`
        const asked = path === '/v1/responses' ? { input: text } : { messages: [{ role: 'user', content: text }] }
        const send = (stream: boolean | undefined) =>
          project.ask('POST', path, { body: { ...asked, ...more, temperature: 0, stream } })
        const both = [await send(first), await send(second)]
        expect(both.map(seen)).toEqual(hitAndMiss)
        expect(both.map(textIn)).toEqual([`Answer ${answers}`, `Answer ${answers}`])
        const types = both.map(({ headers }) => headers['content-type']?.split(';')[0])
        expect(types).toEqual([first, second].map(stream => (stream ? 'text/event-stream' : 'application/json')))
      }
    })
  },
)

describe('a response', () => {
  test('of the cache has an id of its own, and is stored and continued under it', async () => {
    const project = await stage.makeProject({ settings })
    let count = 0
    const body = () => ({
      id: `resp_upstream${++count}`,
      object: 'response',
      created_at: 1_790_000_000,
      model: 'gpt-4o-mini-2024-07-18',
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: `Answer ${count}`, annotations: [] }],
        },
      ],
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    })
    stage.upstream.on('POST /v1/responses', () => ({ body: body() }))
    const request = { input: 'Say something', temperature: 0 }
    const [first, second] = [await getResponse(project, request), await getResponse(project, request)]
    expect([first, second].map(textOfResponse)).toEqual(['Answer 1', 'Answer 1'])
    expect(first.id).toBe('resp_upstream1')
    expect(second.id).not.toBe(first.id)
    const stored = await project.ask('GET', `/v1/responses/${second.id}`)
    expect(stored).toMatchObject({ status: 200, body: { id: second.id, usage: { total_tokens: 18 } } })
    expect(textOfResponse(stored.body as WireResponse)).toBe('Answer 1')
    const next = { input: 'And now?', temperature: 0, previous_response_id: second.id }
    expect(textOfResponse(await getResponse(project, next))).toBe('Answer 2')
    expect(await project.usage()).toMatchObject({ requests: 3, total_tokens: 36 })
  })

  test('that streams is given again as its events, numbered from 0', async () => {
    const project = await stage.makeProject({ settings })
    const response = { id: 'resp_s', object: 'response', created_at: 1_790_000_000, model: 'gpt-4o-mini', output: [] }
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }
    const content = [{ type: 'output_text', text: 'Hello', annotations: [] }]
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      ...['Hel', 'lo'].map(delta => ({ type: 'response.output_text.delta', ...place, delta })),
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
      {
        type: 'response.completed',
        response: {
          ...response,
          status: 'completed',
          output: [{ ...item, content }],
          usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
        },
      },
    ]
    const texts = events.map(
      (event, number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`,
    )
    stage.upstream.on('POST /v1/responses', eventStream(texts))
    const ask = () =>
      project.ask('POST', '/v1/responses', { body: { input: 'Stream', temperature: 0, stream: true, store: false } })
    const [first, second] = [await ask(), await ask()]
    expect([first, second].map(seen)).toEqual(hitAndMiss)
    // The provider's own bytes, then the product's.
    expect(first.text).toBe(texts.join(''))
    const last = responseEventsOf(second.text).at(-1)
    expect(last?.type).toBe('response.completed')
    expect(last?.response?.id).not.toBe('resp_s')
    expect(textIn(second)).toBe('Hello')
  })
})

test('the count of a prompt is never cached, whatever the header says', async () => {
  const wire = sixWires.find(({ provider }) => provider === 'anthropic')
  if (wire === undefined) throw new Error('there is no such wire')
  const project = await makeProjectOf(stage, wire, settings)
  stage.upstream.on('POST /v1/messages/count_tokens', { body: { input_tokens: 5 } })
  const body = { messages: [{ role: 'user', content: 'Hello' }] }
  for (let times = 0; times < 2; times++) {
    const answer = await project.ask('POST', '/v1/messages/count_tokens', { body, headers: { [header]: 'use' } })
    expect(seen(answer)).toEqual([200, undefined])
  }
})

test('vectors are given again if the header says so, for no tokens', async () => {
  const project = await stage.makeProject({ settings })
  let count = 0
  stage.upstream.on('POST /v1/embeddings', () => ({
    body: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -1.25, ++count] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 9, total_tokens: 9 },
    },
  }))
  const send = (more: object = {}, headers: Record<string, string> = { [header]: 'use' }) =>
    project.ask('POST', '/v1/embeddings', {
      body: { model: 'text-embedding-3-small', input: 'Hello', ...more },
      headers,
    })
  const both = [await send(), await send()]
  expect(both.map(seen)).toEqual(hitAndMiss)
  expect(both[1]?.body).toEqual(both[0]?.body)
  expect(seen(await send({}, {}))).toEqual([200, undefined])
  for (const other of [{ input: ['Hello', 'you'] }, { dimensions: 3 }, { encoding_format: 'base64' }]) {
    expect(seen(await send(other))[1]).toBe('miss')
  }
  const { body } = await send()
  expect(body).toMatchObject({ data: [{ embedding: [0.5, -1.25, 1] }], usage: { prompt_tokens: 9 } })
  expect(await project.usage()).toMatchObject({ requests: 7, total_tokens: 45 })
})

type VectorCase = [provider: string, model: string, path: string, answer: (vectors: unknown[]) => object]

test.each<VectorCase>([
  ...(['openai', 'openrouter', 'mistral'] as const).map((provider): VectorCase => {
    const listed = {
      openai: 'text-embedding-3-small',
      openrouter: 'qwen/qwen3-embedding-8b',
      mistral: 'codestral-embed',
    }
    const bodyOf = (vectors: unknown[]) => ({
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model: listed[provider],
      usage: { prompt_tokens: 9, total_tokens: 9 },
    })
    return [provider, listed[provider], '/v1/embeddings', bodyOf]
  }),
  [
    'google',
    'gemini-embedding-001',
    '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    vectors => ({ embeddings: vectors.map(values => ({ values })) }),
  ],
  [
    'cohere',
    'embed-v4.0',
    '/v2/embed',
    vectors => ({ id: 'e1', embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 9 } } }),
  ],
])('vectors of %s are not given again if some are missing', async (provider, model, path, answer) => {
  const wire = sixWires.find(one => one.provider === provider)
  if (wire === undefined) throw new Error('there is no such wire')
  const project = await makeProjectOf(stage, wire, settings)
  const whole = JSON.stringify(answer([[0.5], [1.5]]))
  const calls: string[] = []
  const damaged: [name: string, UpstreamAnswer][] = [
    ['one vector', { body: answer([[0.5]]) }],
    ['three vectors', { body: answer([[0.5], [1.5], [2.5]]) }],
    ['no vector', { body: answer([]) }],
    ['an empty vector', { body: answer([[0.5], []]) }],
    ['null', { body: answer([[0.5], null]) }],
    ['half', { body: whole.slice(0, whole.length >> 1) }],
    ['reset', { write: response => void response.writeHead(200).write(whole, () => response.destroy()) }],
  ]
  for (const [name, damage] of damaged) {
    let next: UpstreamAnswer = damage
    stage.upstream.on(`POST ${path}`, () => {
      calls.push(name)
      return next
    })
    const body = { model, input: ['Hello', `you, ${name}`] }
    const send = () => project.ask('POST', '/v1/embeddings', { body, headers: { [header]: 'use' } })
    const first = await send()
    next = { body: whole }
    const others = [await send(), await send()]
    const caches = [first, ...others].map(({ headers }) => headers[header])
    const wanted = [name, 'miss', 'miss', 'hit', 2]
    expect([name, ...caches, calls.filter(one => one === name).length]).toEqual(wanted)
  }
})

/** The text of an answer in any format, whole or streamed. */
function textIn({ body, text }: Answer): string {
  const answers = body === null ? text.split('\n').flatMap(dataIn) : [body]
  return answers.map(textOf).join('')
}

function dataIn(line: string): unknown[] {
  const data = line.startsWith('data: ') ? line.slice('data: '.length) : '[DONE]'
  return data === '[DONE]' ? [] : [JSON.parse(data)]
}

interface Piece {
  type?: string
  choices?: { message?: { content: string }; delta?: { content?: string | null } }[]
  content?: { text?: string }[]
  output?: WireResponse['output']
  delta?: string | { text?: string }
}

function textOf(value: unknown): string {
  const { type, choices, content, output, delta } = value as Piece
  if (choices !== undefined) return choices.map(one => one.message?.content ?? one.delta?.content ?? '').join('')
  if (type === 'message') return (content ?? []).map(({ text = '' }) => text).join('')
  if (output !== undefined) return textOfResponse({ output })
  if (type === 'response.output_text.delta') return String(delta)
  return typeof delta === 'object' ? (delta.text ?? '') : ''
}
