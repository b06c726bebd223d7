// Collects parts of an answer while it passes: its message for the conversation, the provider's usage, and a local
// token count for answers without one.

import { KeptText } from '../../collections/kept-text.ts'
import type { Delta, Usage } from '../../domain/conversation/answer.ts'
import type { AssistantMessage, ReasoningDetail, ToolCall } from '../../domain/conversation/prompt.ts'
import { createTokenCounter, type TokenCounter } from '../usage/count-tokens.ts'

/** Uncounted text is counted once there is this much of it. */
const maxUncounted = 4_096

export class Collected {
  /** The message; null if nothing needs it. */
  readonly kept: { take(delta: Delta): void; whole(): AssistantMessage } | null
  #counted: { usage: Usage; isWhole: boolean } | null = null
  #counter: TokenCounter | null = null
  /** Counted only when needed: an answer that comes whole, with its usage, never is. */
  #uncounted = ''
  /** By `performance.now()`; null before the first attempt. */
  #askedAt: number | null = null
  /** When the first piece of the answer itself arrived, after any reasoning. */
  #begunAt: number | null = null

  constructor(keepsMessage: boolean) {
    this.kept = keepsMessage ? createMessageCollector() : null
  }

  /** What the provider counted, null if it counted nothing. `isWhole` is false if its answer broke off. */
  get counted(): Readonly<{ usage: Usage; isWhole: boolean }> | null {
    return this.#counted
  }

  /** A provider is asked now. */
  noteAsked(): void {
    this.#askedAt = performance.now()
  }

  /** How long the provider has worked, or had worked when its answer began. */
  waitedMs(): number {
    return this.#askedAt === null ? 0 : (this.#begunAt ?? performance.now()) - this.#askedAt
  }

  /** Takes a delta as the provider sent it: what it costs. */
  count(delta: Delta): void {
    if (delta.type === 'text' || delta.type === 'tool_call') this.#begunAt ??= performance.now()
    if (delta.type === 'usage') this.#counted = { usage: delta.usage, isWhole: true }
    else if (delta.type === 'error') this.noteBroken(delta.usage ?? null)
    else if ('text' in delta) this.#countSoon(delta.text)
    else if (delta.type === 'tool_call') this.#countSoon(delta.name + delta.arguments)
  }

  /** What the provider had counted when its answer broke off. */
  noteBroken(usage: Usage | null): void {
    if (usage !== null && this.#counted === null) this.#counted = { usage, isWhole: false }
  }

  /** The first choice, as a message of the conversation. */
  message(): AssistantMessage {
    return (this.kept ?? createMessageCollector()).whole()
  }

  /** A local count of everything that came, reasoning and tool calls included. */
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
      // Needed again only if the provider continues its reasoning after a tool call.
      reasoningDetails: toolCalls.length > 0 ? details : [],
    }
  }

  return { take, whole }
}
