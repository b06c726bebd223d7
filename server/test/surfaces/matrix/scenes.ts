// What each feature of the matrix asks and what the model answers, independent of any wire format.

import type { Canonical, CanonicalTurn } from '../../providers/protocols/fixtures.ts'

export interface Call {
  id: string
  name: string
  arguments: Record<string, unknown>
}

export type AskedTurn =
  | { role: 'user'; text: string; image?: true; audio?: true }
  | { role: 'assistant'; calls: Call[] }
  | { role: 'results'; results: { id: string; text: string }[] }

/** A client's question. */
export interface Asked {
  system: string
  turns: AskedTurn[]
  tools: boolean
  schema: boolean
  effort: boolean
  stream: boolean
}

/** What a model says. */
export interface Said {
  text: string
  reasoning: string
  refusal: string
  calls: Call[]
}

/** What a client reads. */
export interface View {
  text: string
  reasoning: string
  refusal: string
  calls: { name: string; arguments: unknown }[]
  finish: 'stop' | 'tool_calls' | 'content_filter' | null
  /** The stream ended with an error. */
  hasFailed: boolean
  tokens: number | null
}

export interface Scene {
  asked: Asked
  said: Said
  /** The provider fails: with a status, or in the middle of its stream. */
  fails?: 'before' | 'in_stream'
}

export const tool = {
  name: 'find_weather',
  description: 'Finds the weather of a city.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
}
export const image = { type: 'image/png', data: 'iVBORw0KGgo=' }
export const audio = { type: 'audio/wav', format: 'wav', data: 'UklGRg==' }
/** What every answer cost. */
export const tokens = { prompt: 11, completion: 7 }

const oslo: Call = { id: 'call_Oslo12345', name: tool.name, arguments: { city: 'Oslo' } }
const rome: Call = { id: 'call_Rome12345', name: tool.name, arguments: { city: 'Rome 🦊' } }
const nothing: Asked = { system: '', turns: [], tools: false, schema: false, effort: false, stream: false }
const silence: Said = { text: '', reasoning: '', refusal: '', calls: [] }
const hello: AskedTurn[] = [{ role: 'user', text: 'Hello' }]
const asked: Asked = { ...nothing, system: 'Be brief.', turns: hello }
const weather: AskedTurn[] = [{ role: 'user', text: 'How is the weather?' }]

export const scenes = {
  plain: { asked, said: { ...silence, text: 'Hello, naïve 🦊.' } },
  stream: { asked: { ...asked, stream: true }, said: { ...silence, text: 'Hello, naïve 🦊.' } },
  tools: { asked: { ...nothing, turns: weather, tools: true }, said: { ...silence, calls: [oslo] } },
  parallel_tools: {
    asked: {
      ...nothing,
      turns: [
        ...weather,
        { role: 'assistant', calls: [oslo, rome] },
        {
          role: 'results',
          results: [
            { id: oslo.id, text: 'rain' },
            { id: rome.id, text: 'sun' },
          ],
        },
      ],
      tools: true,
      stream: true,
    },
    said: { ...silence, calls: [rome, oslo] },
  },
  structured_output: {
    asked: { ...nothing, turns: hello, schema: true },
    said: { ...silence, text: '{"city":"Oslo"}' },
  },
  image: {
    asked: { ...nothing, turns: [{ role: 'user', text: 'What is this?', image: true }] },
    said: { ...silence, text: 'A fox.' },
  },
  audio: {
    asked: { ...nothing, turns: [{ role: 'user', text: 'What is this?', audio: true }] },
    said: { ...silence, text: 'A song.' },
  },
  reasoning: {
    asked: { ...nothing, turns: hello, effort: true, stream: true },
    said: { ...silence, reasoning: 'They greet.', text: 'Hello.' },
  },
  refusal: { asked: { ...nothing, turns: hello }, said: { ...silence, refusal: 'I cannot.' } },
  error_before: { asked: { ...asked, stream: true }, said: silence, fails: 'before' },
  error_in_stream: { asked: { ...asked, stream: true }, said: { ...silence, text: 'Hel' }, fails: 'in_stream' },
} satisfies Record<string, Scene>

export type Feature = keyof typeof scenes

/** What the upstream request must say. */
export function canonicalOf({ system, turns, tools, schema, stream }: Asked): Canonical {
  return {
    system,
    turns: turns.map(canonicalTurn),
    tools: tools ? [[tool.name, ['city']]] : [],
    tool_choice: null,
    stream,
    schema,
  }
}

function canonicalTurn(turn: AskedTurn): CanonicalTurn {
  const empty: CanonicalTurn = { role: 'user', text: '', calls: [], results: [], images: 0, other: [] }
  switch (turn.role) {
    case 'assistant':
      return { ...empty, role: 'assistant', calls: turn.calls.map(call => [call.name, call.arguments]) }
    case 'results':
      return { ...empty, results: turn.results.map(({ text }) => text) }
    case 'user':
      return { ...empty, text: turn.text, images: turn.image ? 1 : 0, other: turn.audio ? ['audio'] : [] }
  }
}

/** What the client must read, unless the cell says otherwise. */
export function viewOf({ said, fails }: Scene): View {
  const calls = said.calls.map(({ name, arguments: given }) => ({ name, arguments: given }))
  if (fails !== undefined) return { ...said, calls, finish: null, hasFailed: true, tokens: null }
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  return { ...said, calls, finish, hasFailed: false, tokens: tokens.prompt + tokens.completion }
}
