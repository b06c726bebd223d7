// The endpoints under load: their paths and request bodies of one kilobyte, as each format writes them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whole answers, streams at the pace of a model, or streams at once. */
export type LoadKind = 'short' | 'paced' | 'burst'

export type EndpointName = 'chat_completions' | 'messages' | 'responses' | 'embeddings'

interface Endpoint {
  path: string
  /** A body with this text of the user. */
  body(text: string): object
}

const system = 'You are a helpful assistant. Answer briefly and to the point.'
const model = 'gpt-4o-mini'
const sampling = { model, temperature: 0.7 }

const endpoints: Record<EndpointName, Endpoint> = {
  chat_completions: {
    path: '/v1/chat/completions',
    body: text => ({
      ...sampling,
      max_tokens: 256,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ],
    }),
  },
  messages: {
    path: '/v1/messages',
    body: text => ({ ...sampling, max_tokens: 256, system, messages: [{ role: 'user', content: text }] }),
  },
  responses: {
    path: '/v1/responses',
    body: text => ({
      ...sampling,
      max_output_tokens: 256,
      store: false,
      instructions: system,
      input: [{ role: 'user', content: text }],
    }),
  },
  embeddings: { path: '/v1/embeddings', body: text => ({ model: 'text-embedding-3-small', input: text }) },
}

/** What the load sends to one endpoint: its path, and the file of each kind of body. */
export interface EndpointLoad {
  path: string
  bodies: Record<LoadKind, string>
}

export function writeLoads(folder: string): Record<EndpointName, EndpointLoad> {
  const load = (name: EndpointName): EndpointLoad => {
    const { path, body } = endpoints[name]
    const write = (kind: LoadKind, more: object): string => {
      const file = join(folder, `${name}-${kind}.json`)
      const make = (text: string) => JSON.stringify({ ...body(text), ...more })
      const sentence = 'Tell me how the harbour of the old town was built and by whom. '
      writeFileSync(file, make(sentence.repeat(20).slice(0, 1024 - make('').length)))
      return file
    }
    const bodies = {
      short: write('short', {}),
      paced: write('paced', { stream: true }),
      burst: write('burst', { stream: true, metadata: { pace: 'burst' } }),
    }
    return { path, bodies }
  }
  return {
    chat_completions: load('chat_completions'),
    messages: load('messages'),
    responses: load('responses'),
    embeddings: load('embeddings'),
  }
}
