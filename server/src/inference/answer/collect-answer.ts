// Keeps what an answer says while it passes: the message as memory stores it, the usage as accounting needs it, and how
// much there was where no usage comes. Changes nothing.

import type { Delta, Usage } from '../../domain/conversation/answer.ts'
import type { AssistantMessage, ReasoningDetail, ToolCall } from '../../domain/conversation/prompt.ts'
import { createTokenCounter, type TokenCounter } from '../usage/count-tokens.ts'
import { KeptText } from './kept-text.ts'

/** Text that nobody has asked to count yet is counted once there is so much of it. */
const maxUncounted = 4_096

export class Collected {
  readonly #message: ReturnType<typeof createMessageCollector> | null
  #counted: { usage: Usage; isWhole: boolean } | null = null
  #counter: TokenCounter | null = null
  /** Counted when somebody asks: for an answer that comes whole, with its usage, nobody does. */
  #uncounted = ''

  constructor(keepsMessage: boolean) {
    this.#message = keepsMessage ? createMessageCollector() : null
  }

  /** What the provider counted; `isWhole` is false where its answer broke off. Null where it counted nothing. */
  get counted(): Readonly<{ usage: Usage; isWhole: boolean }> | null {
    return this.#counted
  }

  /** As the provider said it: for what it costs. */
  count(delta: Delta): void {
    if (delta.type === 'usage') this.#counted = { usage: delta.usage, isWhole: true }
    else if (delta.type === 'fault') this.noteBroken(delta.usage ?? null)
    else if ('text' in delta) this.#countSoon(delta.text)
    else if (delta.type === 'tool_call') this.#countSoon(delta.name + delta.arguments)
  }

  /** As the client reads it: for the message. */
  keep(delta: Delta): void {
    this.#message?.take(delta)
  }

  /** What the provider had counted when its answer broke off. */
  noteBroken(usage: Usage | null): void {
    if (usage !== null && this.#counted === null) this.#counted = { usage, isWhole: false }
  }

  /** The first choice as a message of the conversation. */
  message(): AssistantMessage {
    return (this.#message ?? createMessageCollector()).whole()
  }

  /** A local count of everything that came, thinking and calls included. */
  tokens(): number {
    return this.#countNow().total()
  }

  #countSoon(text: string): void {
    if (this.#uncounted.length >= maxUncounted) this.#countNow()
    this.#uncounted += text
  }

  #countNow(): TokenCounter {
    this.#counter ??= createTokenCounter()
    this.#counter.add(this.#uncounted)
    this.#uncounted = ''
    return this.#counter
  }
}

interface KeptCall extends Omit<ToolCall, 'arguments'> {
  arguments: KeptText
}

function createMessageCollector() {
  const text = new KeptText()
  const refusal = new KeptText()
  const calls: KeptCall[] = []
  const details: ReasoningDetail[] = []

  function take(delta: Delta): void {
    if (!('choice' in delta) || delta.choice !== 0) return
    if (delta.type === 'text') text.add(delta.text)
    else if (delta.type === 'refusal') refusal.add(delta.text)
    else if (delta.type === 'reasoning' && delta.detail !== undefined) details.push(delta.detail)
    else if (delta.type === 'tool_call') {
      const { id, name, arguments: start, signature } = delta
      const call = { id, name, arguments: new KeptText(), ...(signature === undefined ? {} : { signature }) }
      call.arguments.add(start)
      calls[delta.call] = call
    } else if (delta.type === 'tool_arguments') calls[delta.call]?.arguments.add(delta.text)
  }

  function whole(): AssistantMessage {
    const said = text.whole()
    const refused = refusal.whole()
    const toolCalls = calls
      .filter(call => call !== undefined)
      .map(call => ({ ...call, arguments: call.arguments.whole() }))
    return {
      role: 'assistant',
      content: said === '' && (toolCalls.length > 0 || refused !== '') ? null : said,
      toolCalls,
      ...(refused === '' ? {} : { refusal: refused }),
      // Needed again only where the provider goes on reasoning behind a call.
      reasoningDetails: toolCalls.length > 0 ? details : [],
    }
  }

  return { take, whole }
}
