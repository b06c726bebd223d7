// Records an answer while it arrives from the provider, as the provider sent it: masked values are still masked, and
// nothing that a guardrail finds is removed yet.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'

/** Characters of one answer, with an allowance for each of its pieces. A longer answer is not cached. */
const maxCharacters = 1_048_576
const charactersOfPiece = 48

/**
 * The providers' words for an end that the model chose; `tool_use` also ends structured output. Any other word may
 * stand for a failure of the provider, such as Gemini's MALFORMED_FUNCTION_CALL, or for an answer that goes on later.
 */
const endsOfModels: ReadonlySet<string> = new Set([
  'stop',
  'stop_sequence',
  'end_turn',
  'complete',
  'completed',
  'finished',
  'eos',
  'eos_token',
  'tool_use',
])

export class AnswerRecorder {
  /** Null once the answer must not be cached. */
  #deltas: Delta[] | null = []
  #characters = 0
  #hasContent = false
  readonly #inputCount: number

  /** `inputCount` is how many vectors a whole answer has, if vectors were asked for. */
  constructor(inputCount: number) {
    this.#inputCount = inputCount
  }

  take(events: readonly AnswerEvent[]): void {
    for (const { deltas } of events) {
      for (const delta of deltas) {
        if (this.#deltas === null) return
        this.#hasContent ||= isContent(delta)
        this.#characters += charactersOfPiece + charactersOf(delta)
        if (this.#characters > maxCharacters || !this.#mayBeCached(delta)) this.#deltas = null
        else this.#deltas.push(withoutName(delta))
      }
    }
  }

  /** Call this once the answer is complete. Null if it must not be cached. */
  whole(): readonly Delta[] | null {
    return this.#hasContent ? this.#deltas : null
  }

  /**
   * Only what a model says to the end: no tool calls, no refusals, and nothing of a provider's own tools. Audio is left
   * out because the provider forgets it earlier than the cache.
   */
  #mayBeCached(delta: Delta): boolean {
    switch (delta.type) {
      case 'origin':
      case 'text':
      case 'reasoning':
      case 'usage':
        return true
      case 'result':
        return delta.result.vectors.length === this.#inputCount
      case 'fields':
        return !('audio' in delta.fields)
      case 'finish':
        return delta.reason === 'stop' && delta.native !== null && endsOfModels.has(delta.native.toLowerCase())
      default:
        return false
    }
  }
}

/** Providers that fail may send an empty answer. Reasoning alone is none. */
function isContent(delta: Delta): boolean {
  return delta.type === 'text' ? delta.text !== '' : delta.type === 'fields' || delta.type === 'result'
}

/** Each response has an id and a time of its own. */
function withoutName(delta: Delta): Delta {
  return delta.type === 'origin' ? { ...delta, id: null, createdSeconds: null } : delta
}

/** As JSON; texts are not rendered for it, because there may be one for each token. */
function charactersOf(delta: Delta): number {
  if (delta.type === 'text' && delta.logprobs === undefined) return delta.text.length
  if (delta.type === 'reasoning' && delta.detail === undefined) return delta.text.length
  return JSON.stringify(delta).length
}
