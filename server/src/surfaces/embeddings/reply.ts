// Writes vectors to the client in OpenAI's format, or passes the provider's bytes on.

import type { Delta } from '../../domain/conversation/answer.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import type { Reply, ReplyOptions } from '../surface.ts'
import { createJsonReply, type WholeWriter } from '../whole-reply.ts'

export function createEmbeddingReply(response: PlaneResponse, options: ReplyOptions): Reply {
  return createJsonReply(response, options, new EmbeddingWriter(options.model))
}

class EmbeddingWriter implements WholeWriter {
  #model: string
  /** Null if the provider did not count. */
  #counted: number | null = null
  readonly #data: object[] = []

  constructor(model: string) {
    this.#model = model
  }

  write(delta: Delta): void {
    if (delta.type === 'origin') this.#model = delta.model ?? this.#model
    else if (delta.type === 'usage') this.#counted = delta.usage.promptTokens
    else if (delta.type === 'result') {
      for (const embedding of delta.result.vectors) {
        this.#data.push({ object: 'embedding', index: this.#data.length, embedding })
      }
    }
  }

  whole(tokens: number) {
    const counted = this.#counted ?? tokens
    const usage = { prompt_tokens: counted, total_tokens: counted }
    return { object: 'list', data: this.#data, model: this.#model, usage }
  }
}

/** `tokens` is what the answer cost if the provider did not count. */
export function renderEmbeddings(deltas: readonly Delta[], model: string, tokens: number) {
  const writer = new EmbeddingWriter(model)
  for (const delta of deltas) writer.write(delta)
  return writer.whole(tokens)
}
