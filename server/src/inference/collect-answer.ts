// Keeps what an answer says while it passes: the message as memory stores it, the usage as accounting needs it, and how
// much there was where no usage comes. Changes nothing.

import type { Delta, Usage } from '../domain/answer.ts'
import type { AssistantMessage, ReasoningDetail, ToolCall } from '../domain/prompt.ts'
import { createTokenCounter } from './count-tokens.ts'

export interface Collected {
  /** As the provider said it: for what it costs. */
  count(delta: Delta): void
  /** As the client reads it: for the message. */
  keep(delta: Delta): void
  /** What the provider had counted when its answer broke off. */
  noteBroken(usage: Usage | null): void
  /** The first choice as a message of the conversation. */
  message(): AssistantMessage
  /** What the provider counted; `isWhole` is false where its answer broke off. Null where it counted nothing. */
  counted(): { usage: Usage; isWhole: boolean } | null
  /** A local count of everything that came, thinking and calls included. */
  tokens(): number
}

export function createCollected(keepsMessage: boolean): Collected {
  let counted: ReturnType<Collected['counted']> = null
  const counter = createTokenCounter()
  /** Counted when somebody asks: for an answer that comes whole, with its usage, nobody does. */
  let uncounted = ''
  const message = createMessageCollector()

  function noteBroken(usage: Usage | null): void {
    if (usage !== null && counted === null) counted = { usage, isWhole: false }
  }

  return {
    count(delta) {
      if (delta.type === 'usage') counted = { usage: delta.usage, isWhole: true }
      else if (delta.type === 'fault') noteBroken(delta.usage ?? null)
      else if ('text' in delta) uncounted += delta.text
      else if (delta.type === 'tool_call') uncounted += delta.name + delta.arguments
    },
    keep(delta) {
      if (keepsMessage) message.take(delta)
    },
    noteBroken,
    message: message.whole,
    counted: () => counted,
    tokens() {
      counter.add(uncounted)
      uncounted = ''
      return counter.total()
    },
  }
}

function createMessageCollector() {
  let text = ''
  let refusal = ''
  const calls: ToolCall[] = []
  const details: ReasoningDetail[] = []

  function take(delta: Delta): void {
    if (!('choice' in delta) || delta.choice !== 0) return
    if (delta.type === 'text') text += delta.text
    else if (delta.type === 'refusal') refusal += delta.text
    else if (delta.type === 'reasoning' && delta.detail !== undefined) details.push(delta.detail)
    else if (delta.type === 'tool_call') {
      const { id, name, arguments: start, signature } = delta
      calls[delta.call] = { id, name, arguments: start, ...(signature === undefined ? {} : { signature }) }
    } else if (delta.type === 'tool_arguments') {
      const call = calls[delta.call]
      if (call !== undefined) call.arguments += delta.text
    }
  }

  return {
    take,
    whole: (): AssistantMessage => ({
      role: 'assistant',
      content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
      toolCalls: calls.filter(call => call !== undefined),
      ...(refusal === '' ? {} : { refusal }),
      // Needed again only where the provider goes on reasoning behind a call.
      reasoningDetails: calls.length > 0 ? details : [],
    }),
  }
}
