// Writes vectors to the client in OpenAI's format, or passes the provider's bytes on.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { usageHeader } from '../../http/inference-port.ts'
import type { Reply, ReplyOptions } from '../surface.ts'

export function createEmbeddingReply(response: PlaneResponse, { model, reportsUsage }: ReplyOptions): Reply {
  const events: AnswerEvent[] = []
  return {
    take(more) {
      events.push(...more)
      return true
    },
    finish(tokens) {
      if (reportsUsage) response.setHeader(usageHeader, tokens)
      const [only] = events
      const raw = events.length === 1 ? (only?.raw ?? null) : null
      const deltas = events.flatMap(event => event.deltas)
      const body = raw ?? Buffer.from(JSON.stringify(renderEmbeddings(deltas, model, tokens)))
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'content-length': body.byteLength,
      })
      response.end(body)
    },
    endWithError: () => void response.destroy(),
    drop: () => void response.destroy(),
  }
}

/** `tokens` is what the answer cost if the provider did not count. */
export function renderEmbeddings(deltas: readonly Delta[], model: string, tokens: number) {
  let named = model
  let counted = tokens
  const data: object[] = []
  for (const delta of deltas) {
    if (delta.type === 'origin') named = delta.model ?? model
    else if (delta.type === 'usage') counted = delta.usage.promptTokens
    else if (delta.type === 'embeddings') {
      for (const embedding of delta.vectors) data.push({ object: 'embedding', index: data.length, embedding })
    }
  }
  return { object: 'list', data, model: named, usage: { prompt_tokens: counted, total_tokens: counted } }
}
