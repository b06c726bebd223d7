// What the six providers answer, in the wire format of each, for tests that put a client's format in front of all of
// them. Written by the providers' documentation; imports no source file.
import { eventStream } from '../support/simulated/provider-answers.ts'
import type { Script, UpstreamAnswer, UpstreamRequest } from '../support/simulated/scripted-upstream.ts'
import type { Stage, TestProject } from './inference-stage.ts'

export interface Scene {
  thinking?: string
  /** Each element is one piece of a stream. */
  text?: readonly string[]
  calls?: readonly { id: string; name: string; input: Record<string, unknown> }[]
  isFiltered?: true
  /** Where thinking and arguments are cut in two; in the middle by default. */
  cutAt?: number
  /** What the provider counts, in its own words. */
  usage?: Record<string, unknown>
}

export interface ProviderWire {
  provider: 'openai' | 'anthropic' | 'google' | 'openrouter' | 'mistral' | 'cohere'
  key: string
  model: string
  /** The calls of completions, plain and streamed. */
  calls: readonly string[]
  /** Whether the wire has a form for what the model thought. */
  thinks: boolean
  answer(scene: Scene, isStreamed: boolean): UpstreamAnswer
  /** A stream that ends after its first text. */
  broken(): UpstreamAnswer
  overloaded: UpstreamAnswer
}

const counts = { prompt: 11, completion: 7 }

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string }) => `event: ${value.type}\n${data(value)}`
const inTwo = (text: string, at = text.length >> 1) => [text.slice(0, at), text.slice(at)]

// --- chat completions: openai, openrouter, mistral

type ChatProvider = 'openai' | 'openrouter' | 'mistral'
const chatUsage = { prompt_tokens: counts.prompt, completion_tokens: counts.completion, total_tokens: 18 }
const frame = (object: string) => ({ id: 'chatcmpl-1', object, created: 1_790_000_000, model: 'upstream-model' })

function thoughtOf(provider: ChatProvider, thinking: string | undefined): object[] {
  if (thinking === undefined || provider === 'openai') return []
  if (provider === 'openrouter') return [{ reasoning: thinking }]
  return [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: thinking }] }] }]
}

function chatFinish({ calls = [], isFiltered }: Scene): string {
  return isFiltered ? 'content_filter' : calls.length > 0 ? 'tool_calls' : 'stop'
}

function chatEvents(provider: ChatProvider, scene: Scene): string[] {
  const { thinking, text = [], calls = [], usage: counted = chatUsage } = scene
  const choice = (delta: object, finish: string | null = null, usage?: object) =>
    data({ ...frame('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }], usage })
  const pieces = calls.flatMap(({ id, name, input }, index) => {
    const [first, second] = inTwo(JSON.stringify(input), scene.cutAt)
    return [
      choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      choice({ tool_calls: [{ index, function: { arguments: first } }] }),
      choice({ tool_calls: [{ index, function: { arguments: second } }] }),
    ]
  })
  return [
    choice({ role: 'assistant', content: '' }),
    ...thoughtOf(provider, thinking).map(delta => choice(delta)),
    ...text.map(content => choice({ content })),
    ...pieces,
    choice({}, chatFinish(scene), counted),
    'data: [DONE]\n\n',
  ]
}

function chatWhole(provider: ChatProvider, scene: Scene): object {
  const { thinking, text, calls = [] } = scene
  const said = text?.join('') ?? null
  const thought = thoughtOf(provider, thinking)[0]
  const content =
    provider === 'mistral' && thought !== undefined
      ? [...(thought as { content: object[] }).content, ...(said === null ? [] : [{ type: 'text', text: said }])]
      : said
  const message = {
    role: 'assistant',
    ...(provider === 'openrouter' ? thought : {}),
    content,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
  }
  const choices = [{ index: 0, message, finish_reason: chatFinish(scene) }]
  return { ...frame('chat.completion'), choices, usage: scene.usage ?? chatUsage }
}

function chatWire(provider: ChatProvider, key: string, model: string): ProviderWire {
  return {
    provider,
    key,
    model: `${provider}/${model}`,
    calls: ['POST /v1/chat/completions'],
    thinks: provider !== 'openai',
    answer: (scene, isStreamed) =>
      isStreamed ? eventStream(chatEvents(provider, scene)) : { body: chatWhole(provider, scene) },
    broken: () => eventStream(chatEvents(provider, { text: ['Hel', 'lo'] }).slice(0, 2)),
    overloaded: { status: 503, body: { error: { message: 'Overloaded', type: 'server_error', code: null } } },
  }
}

// --- anthropic

function anthropicBlocks({ thinking, text, calls = [] }: Scene) {
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'c2lnbmVk' }]),
    ...(text === undefined ? [] : [{ type: 'text', text: text.join('') }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ]
}

const anthropicUsage = { input_tokens: counts.prompt, output_tokens: counts.completion }

function anthropicStop({ calls = [], isFiltered }: Scene): string {
  return isFiltered ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn'
}

const anthropicFrame = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'claude-upstream' }

export function anthropicWhole(scene: Scene): object {
  return {
    ...anthropicFrame,
    content: anthropicBlocks(scene),
    stop_reason: anthropicStop(scene),
    stop_sequence: null,
    usage: scene.usage ?? anthropicUsage,
  }
}

export function anthropicEvents(scene: Scene): string[] {
  const counted: Record<string, unknown> = scene.usage ?? anthropicUsage
  const usage = { ...counted, output_tokens: 1 }
  const message = { ...anthropicFrame, content: [], stop_reason: null, stop_sequence: null, usage }
  const blocks = anthropicBlocks(scene).flatMap((block, index) => {
    const piece = (delta: object) => named({ type: 'content_block_delta', index, delta } as { type: string })
    const opening = { ...block }
    let pieces: string[] = []
    if (opening.type === 'thinking' && 'signature' in block) {
      Object.assign(opening, { thinking: '', signature: '' })
      const thoughts = inTwo(String(block.thinking), scene.cutAt).map(thinking =>
        piece({ type: 'thinking_delta', thinking }),
      )
      pieces = [...thoughts, piece({ type: 'signature_delta', signature: block.signature })]
    } else if (opening.type === 'text') {
      Object.assign(opening, { text: '' })
      pieces = (scene.text ?? []).map(text => piece({ type: 'text_delta', text }))
    } else if ('input' in block) {
      Object.assign(opening, { input: {} })
      const json = inTwo(JSON.stringify(block.input), scene.cutAt)
      pieces = json.map(partial_json => piece({ type: 'input_json_delta', partial_json }))
    }
    const start = { type: 'content_block_start', index, content_block: opening }
    return [named(start), ...pieces, named({ type: 'content_block_stop', index } as { type: string })]
  })
  const end = { stop_reason: anthropicStop(scene), stop_sequence: null }
  return [
    named({ type: 'message_start', message } as { type: string }),
    named({ type: 'ping' }),
    ...blocks,
    named({ type: 'message_delta', delta: end, usage: { output_tokens: counted['output_tokens'] } } as {
      type: string
    }),
    named({ type: 'message_stop' }),
  ]
}

const anthropicWire: ProviderWire = {
  provider: 'anthropic',
  key: 'sk-ant-0123456789abcdef0123',
  model: 'anthropic/claude-sonnet-4-5',
  calls: ['POST /v1/messages'],
  thinks: true,
  answer: (scene, isStreamed) => (isStreamed ? eventStream(anthropicEvents(scene)) : { body: anthropicWhole(scene) }),
  broken: () => eventStream(anthropicEvents({ text: ['Hel', 'lo'] }).slice(0, 4)),
  overloaded: { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
}

// --- google

const geminiUsage = { promptTokenCount: counts.prompt, candidatesTokenCount: counts.completion, totalTokenCount: 18 }

function geminiAnswer(parts: object[], { isFiltered, usage = geminiUsage }: Scene, isLast = true): object {
  const finish = isFiltered ? 'SAFETY' : 'STOP'
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast ? { finishReason: finish } : {}) }],
    ...(isLast ? { usageMetadata: usage } : {}),
    modelVersion: 'gemini-upstream',
    responseId: 'r1',
  }
}

function geminiParts({ thinking, text = [], calls = [] }: Scene): object[] {
  return [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
    ...text.map(piece => ({ text: piece })),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ]
}

const googleWire: ProviderWire = {
  provider: 'google',
  key: 'AIza0123456789abcdef0123',
  model: 'google/gemini-2.5-flash',
  calls: [
    'POST /v1beta/models/gemini-2.5-flash:generateContent',
    'POST /v1beta/models/gemini-2.5-flash:streamGenerateContent',
  ],
  thinks: true,
  answer(scene, isStreamed) {
    const parts = geminiParts(scene)
    if (!isStreamed) return { body: geminiAnswer(parts, scene) }
    const pieces = parts.map((part, at) => data(geminiAnswer([part], scene, at === parts.length - 1)))
    return eventStream(pieces.length === 0 ? [data(geminiAnswer([], scene))] : pieces)
  },
  broken: () => eventStream([data(geminiAnswer([{ text: 'Hel' }], {}, false))]),
  overloaded: { status: 503, body: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } } },
}

// --- cohere

const cohereUsage = { tokens: { input_tokens: counts.prompt, output_tokens: counts.completion } }
const cohereFinish = ({ calls = [] }: Scene) => (calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE')
const cohereCall = (
  { id, name, input }: { id: string; name: string; input: object },
  args = JSON.stringify(input),
) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

function cohereEvents(scene: Scene): string[] {
  const { thinking, text = [], calls = [], usage = cohereUsage } = scene
  const content = (type: string, index: number, piece: object) => ({
    type,
    index,
    delta: { message: { content: piece } },
  })
  const thought =
    thinking === undefined
      ? []
      : [
          content('content-start', 0, { type: 'thinking', thinking: '' }),
          content('content-delta', 0, { thinking }),
          { type: 'content-end', index: 0 },
        ]
  const said =
    text.length === 0
      ? []
      : [
          content('content-start', 1, { type: 'text', text: '' }),
          ...text.map(piece => content('content-delta', 1, { text: piece })),
          { type: 'content-end', index: 1 },
        ]
  const called = calls.flatMap((call, index) => {
    const [first, second] = inTwo(JSON.stringify(call.input), scene.cutAt)
    const piece = (args = '') => ({ delta: { message: { tool_calls: { function: { arguments: args } } } } })
    return [
      { type: 'tool-call-start', index, delta: { message: { tool_calls: cohereCall(call, '') } } },
      { type: 'tool-call-delta', index, ...piece(first) },
      { type: 'tool-call-delta', index, ...piece(second) },
      { type: 'tool-call-end', index },
    ]
  })
  return [
    { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
    ...thought,
    ...said,
    ...called,
    { type: 'message-end', delta: { finish_reason: cohereFinish(scene), usage } },
  ].map(data)
}

function cohereWhole(scene: Scene): object {
  const { thinking, text, calls = [] } = scene
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
    ...(text === undefined ? [] : [{ type: 'text', text: text.join('') }]),
  ]
  const message = {
    role: 'assistant',
    ...(content.length === 0 ? {} : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(call => cohereCall(call)) }),
  }
  return { id: 'c1', finish_reason: cohereFinish(scene), message, usage: scene.usage ?? cohereUsage }
}

const cohereWire: ProviderWire = {
  provider: 'cohere',
  key: 'cohere0123456789abcdef01',
  model: 'cohere/command-a-03-2025',
  calls: ['POST /v2/chat'],
  thinks: true,
  answer: (scene, isStreamed) => (isStreamed ? eventStream(cohereEvents(scene)) : { body: cohereWhole(scene) }),
  broken: () => eventStream(cohereEvents({ text: ['Hel', 'lo'] }).slice(0, 3)),
  overloaded: { status: 503, body: { message: 'Overloaded' } },
}

export const sixWires: readonly ProviderWire[] = [
  chatWire('openai', 'sk-0123456789abcdef0123', 'gpt-4o-mini'),
  anthropicWire,
  googleWire,
  chatWire('openrouter', 'sk-or-v1-0123456789abcdef', 'openai/gpt-4o-mini'),
  chatWire('mistral', 'mistral0123456789abcdef0', 'mistral-large-latest'),
  cohereWire,
]

/** Answers the checks of keys, which ask for the models. */
export function scriptKeyChecks({ upstream }: Stage): void {
  upstream.on('GET /v1beta/models', { body: { models: [] } })
  upstream.on('GET /v1/models', { body: { object: 'list', data: [], models: [] } })
  upstream.on('GET /v1/key', { body: { data: { label: 'key' } } })
}

export async function makeProjectOf(
  stage: Stage,
  { provider, key, model }: Pick<ProviderWire, 'provider' | 'key' | 'model'>,
  settings: Record<string, unknown> = {},
): Promise<TestProject> {
  return await stage.makeProject({ model, provider: { path: provider, body: { api_key: key } }, settings })
}

export function script(stage: Stage, { calls }: ProviderWire, answer: Script): void {
  for (const call of calls) stage.upstream.on(call, answer)
}

export function play(stage: Stage, wire: ProviderWire, scene: Scene): void {
  script(stage, wire, request => wire.answer(scene, isStreamed(request)))
}

function isStreamed({ path, body }: UpstreamRequest): boolean {
  return path.includes('stream') || JSON.parse(body).stream === true
}
