// Keeps what a provider wants back with its tool calls to go on reasoning, for clients that drop it: an OpenAI client
// returns the calls and knows nothing of signatures. Knows no wire format; nobody but the end user's own requests finds it.

import { createHash } from 'node:crypto'
import type { Verified } from '../../domain/caller.ts'
import { conversationOwner } from '../../domain/conversation/conversation-owner.ts'
import type { AssistantMessage, Message, Prompt, ReasoningDetail } from '../../domain/conversation/prompt.ts'
import type { Log } from '../../domain/log.ts'
import type { Provider } from '../../domain/provider.ts'
import type { Conversations } from '../../kv/store.ts'

export interface ReasoningCarrier {
  /** The prompt with what the client left out, where it is known; null where this provider wants nothing of it. */
  fill(verified: Verified, provider: Provider, prompt: Prompt): Promise<Prompt> | null
  keep(verified: Verified, provider: Provider, answer: AssistantMessage): Promise<void>
}

interface Kept {
  provider: Provider
  details: ReasoningDetail[]
  /** By call id. */
  signatures: Record<string, string>
}

/** An agent may think about a tool's result for long; a conversation that rests longer goes on without. */
const keptSeconds = 24 * 60 * 60
/** Each costs the store a lookup; of a conversation with more calls the older ones go on without. */
const maxLookups = 200

export function createReasoningCarrier(
  kv: Pick<Conversations, 'appendTurn' | 'recallTurns'>,
  log: Log,
): ReasoningCarrier {
  async function find(verified: Verified, provider: Provider, message: AssistantMessage): Promise<Message> {
    const [text] = await kv.recallTurns(keyOf(verified, message), 1, keptSeconds)
    if (text === undefined) return message
    const kept = JSON.parse(text) as Kept
    return kept.provider === provider ? withReasoning(message, kept) : message
  }

  async function fill(verified: Verified, provider: Provider, prompt: Prompt): Promise<Prompt> {
    try {
      const lacking = new Set(prompt.messages.filter(isLacking).slice(-maxLookups))
      const messages = await Promise.all(
        prompt.messages.map(message =>
          isLacking(message) && lacking.has(message) ? find(verified, provider, message) : message,
        ),
      )
      return { ...prompt, messages }
    } catch (error) {
      // Each wire format has a way to go on without, as for calls that were never kept.
      log.warn('kept reasoning could not be read', { request_id: verified.requestId, error })
      return prompt
    }
  }

  return {
    fill: (verified, provider, prompt) => (wantsReasoning(provider, prompt) ? fill(verified, provider, prompt) : null),
    async keep(verified, provider, answer) {
      const kept = readReasoning(provider, answer)
      if (kept === null) return
      try {
        const bounds = { keep: 1, ttlSeconds: keptSeconds }
        await kv.appendTurn(keyOf(verified, answer), [JSON.stringify(kept)], bounds)
      } catch (error) {
        log.warn('reasoning could not be kept', { request_id: verified.requestId, error })
      }
    },
  }
}

/** Gemini refuses calls without their signatures; the others miss their thoughts only while they think. */
function wantsReasoning(provider: Provider, { reasoning, messages }: Prompt): boolean {
  const signs = provider === 'google' || ((provider === 'anthropic' || provider === 'openrouter') && !!reasoning)
  return signs && messages.some(isLacking)
}

function isLacking(message: Message): message is AssistantMessage {
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return false
  return message.reasoningDetails.length === 0 && message.toolCalls.every(call => call.signature === undefined)
}

function withReasoning(message: AssistantMessage, { details, signatures }: Kept): AssistantMessage {
  const toolCalls = message.toolCalls.map(call => {
    const signature = Object.hasOwn(signatures, call.id) ? signatures[call.id] : undefined
    return signature === undefined ? call : { ...call, signature }
  })
  return { ...message, toolCalls, reasoningDetails: details }
}

function readReasoning(provider: Provider, { toolCalls, reasoningDetails }: AssistantMessage): Kept | null {
  if (toolCalls.length === 0) return null
  const signed = toolCalls.flatMap(({ id, signature }) => (signature === undefined ? [] : [[id, signature] as const]))
  if (signed.length === 0 && reasoningDetails.length === 0) return null
  return { provider, details: reasoningDetails, signatures: Object.fromEntries(signed) }
}

/** No session has such an id: `#` is none of its characters. */
function keyOf(verified: Verified, { toolCalls }: AssistantMessage): string {
  const call = createHash('sha256')
    .update(toolCalls[0]?.id ?? '')
    .digest('base64url')
  return `${conversationOwner(verified)}#${call}`
}
