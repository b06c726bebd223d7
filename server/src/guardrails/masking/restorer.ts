// Restores the masked values of an answer, delta by delta: in texts, refusals, reasoning and the arguments of calls.
// For each channel of each choice it holds back what may become a token, and nothing else.

import type { Delta } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { Carry, type Render } from './carry.ts'
import { createTokenReader, type TokenReader } from './read-token.ts'
import type { Vault } from './vault.ts'

type Said = Extract<Delta, { type: 'text' | 'refusal' }>
type Thought = Extract<Delta, { type: 'reasoning' }>
type Rest = (text: string) => Delta

/** One channel of one choice: its held-back text, and a delta to send the rest with. */
interface Channel {
  carry: Carry
  rest: Rest
}

const asItIs: Render = value => value
/** Arguments are JSON, and so is a text with a JSON response format: a value goes into a JSON string. */
const inJson: Render = value => JSON.stringify(value).slice(1, -1)

export class Restorer {
  readonly #reader: TokenReader
  readonly #inText: Render
  readonly #choices = new Map<number, Map<string, Channel>>()

  constructor(vault: Vault, { textIsJson }: { textIsJson: boolean }) {
    this.#reader = createTokenReader(vault)
    this.#inText = textIsJson ? inJson : asItIs
  }

  /** Returns the deltas that can be sent now, restored. */
  restore(deltas: readonly Delta[]): Delta[] {
    return deltas.flatMap(delta => this.#restoreOne(delta))
  }

  /** The answer breaks off: returns what was held back, unchanged. */
  flush(): Delta[] {
    return [...this.#choices.keys()].flatMap(choice => this.#flushChoice(choice))
  }

  #restoreOne(delta: Delta): Delta[] {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return this.#restoreSaid(delta)
      case 'reasoning':
        return this.#restoreThought(delta)
      case 'tool_call': {
        const text = this.#restoreArguments(delta.choice, delta.call, delta.arguments)
        return [text === delta.arguments ? delta : { ...delta, arguments: text }]
      }
      case 'tool_arguments': {
        const text = this.#restoreArguments(delta.choice, delta.call, delta.text)
        if (text === delta.text) return [delta]
        return text === '' ? [] : [{ ...delta, text }]
      }
      case 'finish':
        return [...this.#flushChoice(delta.choice), delta]
      case 'error':
        return [...this.flush(), delta]
      default:
        return [delta]
    }
  }

  #restoreSaid(delta: Said): Delta[] {
    const { type, choice } = delta
    const render = type === 'text' ? this.#inText : asItIs
    const text = this.#push(choice, type, delta.text, rest => ({ type, choice, text: rest }), render)
    if (text === delta.text) return [delta]
    // Log probabilities of the masked text do not fit the restored one.
    return text === '' ? [] : [{ type, choice, text }]
  }

  #restoreThought(delta: Thought): Delta[] {
    const { choice, detail } = delta
    const text = this.#push(choice, 'reasoning', delta.text, rest => ({ type: 'reasoning', choice, text: rest }))
    const restored = detail === undefined || isProvidersOwn(detail) ? detail : this.#restoreDetail(choice, detail)
    if (text === delta.text && restored === detail) return [delta]
    if (restored !== undefined) return [{ type: 'reasoning', choice, text, detail: restored }]
    return text === '' ? [] : [{ type: 'reasoning', choice, text }]
  }

  #restoreDetail(choice: number, detail: ReasoningDetail): ReasoningDetail {
    const restored = { ...detail }
    for (const field of ['text', 'summary'] as const) {
      const text = detail[field]
      if (typeof text !== 'string' || text === '') continue
      const rest: Rest = left => ({ type: 'reasoning', choice, text: '', detail: { ...detail, [field]: left } })
      restored[field] = this.#push(choice, `${field} ${detail.type} ${detail.index ?? ''}`, text, rest)
    }
    return restored.text === detail.text && restored.summary === detail.summary ? detail : restored
  }

  #restoreArguments(choice: number, call: number, text: string): string {
    const rest: Rest = left => ({ type: 'tool_arguments', choice, call, text: left })
    return this.#push(choice, `call ${call}`, text, rest, inJson)
  }

  #push(choice: number, name: string, text: string, rest: Rest, render = asItIs): string {
    const channels = this.#choices.get(choice) ?? new Map<string, Channel>()
    this.#choices.set(choice, channels)
    const { carry } = channels.get(name) ?? { carry: new Carry(this.#reader, render) }
    channels.set(name, { carry, rest })
    return carry.push(text)
  }

  #flushChoice(choice: number): Delta[] {
    const flushed: Delta[] = []
    for (const { carry, rest } of this.#choices.get(choice)?.values() ?? []) {
      const left = carry.flush()
      if (left !== '') flushed.push(rest(left))
    }
    this.#choices.delete(choice)
    return flushed
  }
}

/**
 * For formats that sign their blocks, even if the signature has not arrived yet: the provider rejects a changed block.
 */
function isProvidersOwn({ format, signature, data }: ReasoningDetail): boolean {
  const isKnownFormat = typeof format === 'string' && format !== 'unknown'
  return isKnownFormat || typeof signature === 'string' || typeof data === 'string'
}
