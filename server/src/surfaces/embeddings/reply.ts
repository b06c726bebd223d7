// Writes vectors to the client in OpenAI's format, or passes the provider's bytes on.

import type { Delta } from '../../domain/conversation/answer.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import type { Reply, ReplyOptions } from '../surface.ts'
import { createJsonReply } from '../whole-reply.ts'

export function createEmbeddingReply(response: PlaneResponse, options: ReplyOptions): Reply {
  return createJsonReply(response, options, (deltas, tokens) => renderEmbeddings(deltas, options.model, tokens))
}

/** `tokens` is what the answer cost if the provider did not count. */
export function renderEmbeddings(deltas: readonly Delta[], model: string, tokens: number) {
  let named = model
  let counted = tokens
  const data: object[] = []
  for (const delta of deltas) {
    if (delta.type === 'origin') named = delta.model ?? model
    else if (delta.type === 'usage') counted = delta.usage.promptTokens
    else if (delta.type === 'result') {
      for (const embedding of delta.result.vectors) data.push({ object: 'embedding', index: data.length, embedding })
    }
  }
  return { object: 'list', data, model: named, usage: { prompt_tokens: counted, total_tokens: counted } }
}
