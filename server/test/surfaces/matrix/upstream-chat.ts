// The chat-completions format as OpenAI, OpenRouter and Mistral send it.

import { canonicaliseChat } from '../../providers/protocols/chat/canonical.ts'
import { type Call, type Said, tokens } from './scenes.ts'
import { data, piecesOf, type UpstreamWire } from './upstream-wire.ts'

const usage = {
  prompt_tokens: tokens.prompt,
  completion_tokens: tokens.completion,
  total_tokens: tokens.prompt + tokens.completion,
}
const frame = (object: string) => ({ id: 'chatcmpl-upstream', object, created: 1_790_000_000, model: 'upstream-model' })

/** How a message shows the model's reasoning; nothing if the provider keeps it to itself. */
type Reasoned = 'nothing' | 'as a field' | 'as a part'

function chatWire(reasoned: Reasoned, path: RegExp): UpstreamWire {
  return {
    path,
    whole: ({ text, reasoning, refusal, calls }) => ({
      ...frame('chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text || null,
            refusal: refusal || null,
            ...reasoningIn(reasoned, reasoning, text),
            ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
          },
          logprobs: null,
          finish_reason: finishOf(calls),
        },
      ],
      usage,
    }),
    events: said => eventsOf(said, reasoned),
    lastEvents: 3,
    failure: data({ error: { message: 'Overloaded', type: 'server_error', param: null, code: null } }),
    rejection: { error: { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
    canonicalise: canonicaliseChat,
    asksForReasoning: body => body['reasoning_effort'] === 'high' || isHigh(body['reasoning']),
  }
}

function eventsOf({ text, refusal, reasoning, calls }: Said, reasoned: Reasoned): string[] {
  const choice = (delta: object, finish_reason: string | null = null) =>
    data({ ...frame('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason }] })
  return [
    choice({ role: 'assistant', content: '' }),
    ...(reasoned === 'nothing' ? [] : piecesOf(reasoning).map(piece => choice(reasoningIn(reasoned, piece, '')))),
    ...piecesOf(text).map(content => choice({ content })),
    ...piecesOf(refusal).map(piece => choice({ refusal: piece })),
    ...calls.flatMap((call, index) => {
      const { function: called, ...start } = callOf(call)
      return [
        choice({ tool_calls: [{ index, ...start, function: { name: called.name, arguments: '' } }] }),
        ...piecesOf(called.arguments).map(piece => choice({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]
    }),
    choice({}, finishOf(calls)),
    data({ ...frame('chat.completion.chunk'), choices: [], usage }),
    'data: [DONE]\n\n',
  ]
}

/** Mistral's content then has parts. */
function reasoningIn(reasoned: Reasoned, reasoning: string, text: string): object {
  if (reasoned === 'nothing' || reasoning === '') return {}
  if (reasoned === 'as a field') return { reasoning }
  const said = text === '' ? [] : [{ type: 'text', text }]
  return { content: [{ type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }, ...said] }
}

function callOf({ id, name, arguments: given }: Call) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } }
}

function finishOf(calls: readonly unknown[]): string {
  return calls.length === 0 ? 'stop' : 'tool_calls'
}

function isHigh(reasoning: unknown): boolean {
  return (reasoning as { effort?: string } | undefined)?.effort === 'high'
}

export const openaiChat = chatWire('nothing', /^\/openai\/v1\/chat\/completions$/)
export const customChat = chatWire('as a field', /^\/custom\/v1\/chat\/completions$/)
export const azureChat = chatWire('nothing', /^\/azure\/openai\/deployments\/my-gpt\/chat\/completions$/)
export const openrouterChat = chatWire('as a field', /^\/openrouter\/api\/v1\/chat\/completions$/)
export const mistralChat: UpstreamWire = {
  ...chatWire('as a part', /^\/mistral\/v1\/chat\/completions$/),
  rejection: { object: 'error', message: 'Slow down', type: 'rate_limited', param: null, code: '1300' },
}
