// Keeps the reasoning and the signatures that a provider needs back with its tool calls, because OpenAI clients
// return the calls without them. Independent of wire formats. Only requests of the same end user can find them.

import { createHash } from 'node:crypto'
import type { Verified } from '../../domain/caller.ts'
import { conversationOwner } from '../../domain/conversation/conversation-owner.ts'
import type { AssistantMessage, Message, Prompt, ReasoningDetail } from '../../domain/conversation/prompt.ts'
import type { Log } from '../../domain/log.ts'
import type { ProviderSlug } from '../../domain/provider.ts'
import type { Conversations } from '../../kv/store.ts'

export interface ReasoningCarrier {
  /**
   * Adds what the client left out, if one of the providers that may answer made it; null if none of them needs it for
   * this prompt. Providers of another format ignore it.
   */
  fill(verified: Verified, targets: readonly Target[], prompt: Prompt): Promise<Prompt> | null
  keep(verified: Verified, provider: ProviderSlug, answer: AssistantMessage): Promise<void>
}

interface Target {
  provider: ProviderSlug
}

interface Kept {
  provider: ProviderSlug
  details: ReasoningDetail[]
  /** By call id. */
  signatures: Record<string, string>
}

/** A tool may take long; a conversation that pauses for longer continues without its reasoning. */
const keptSeconds = 24 * 60 * 60
/** Far more than any model thinks before its calls: what is longer would fill the store. */
const maxKeptLength = 256 * 1024
/** Each message with calls costs a lookup in the store; in longer conversations the older ones are not looked up. */
const maxLookups = 200

export function createReasoningCarrier(
  kv: Pick<Conversations, 'appendTurn' | 'recallTurns'>,
  log: Log,
): ReasoningCarrier {
  async function find(verified: Verified, targets: readonly Target[], message: AssistantMessage): Promise<Message> {
    const [text] = await kv.recallTurns(keyOf(verified, message), 1, keptSeconds)
    if (text === undefined) return message
    const kept = JSON.parse(text) as Kept
    return targets.some(({ provider }) => provider === kept.provider) ? withReasoning(message, kept) : message
  }

  async function fill(verified: Verified, targets: readonly Target[], prompt: Prompt): Promise<Prompt> {
    try {
      const lacking = new Set(prompt.messages.filter(isLacking).slice(-maxLookups))
      const messages = await Promise.all(
        prompt.messages.map(message =>
          isLacking(message) && lacking.has(message) ? find(verified, targets, message) : message,
        ),
      )
      return { ...prompt, messages }
    } catch (error) {
      // Each wire format can continue without it, as it does for calls that were never kept.
      log.warn('stored reasoning could not be read', { request_id: verified.requestId, error })
      return prompt
    }
  }

  return {
    fill: (verified, targets, prompt) => (wantsReasoning(targets, prompt) ? fill(verified, targets, prompt) : null),
    async keep(verified, provider, answer) {
      const kept = readReasoning(provider, answer)
      if (kept === null) return
      try {
        const bounds = { keep: 1, ttlSeconds: keptSeconds }
        const text = JSON.stringify(kept)
        if (text.length > maxKeptLength) return
        await kv.appendTurn(keyOf(verified, answer), [text], bounds)
      } catch (error) {
        log.warn('reasoning could not be stored', { request_id: verified.requestId, error })
      }
    },
  }
}

/** Gemini rejects calls without signatures; the others need their reasoning back only if reasoning is on. */
function wantsReasoning(targets: readonly Target[], { reasoning, messages }: Prompt): boolean {
  const signs = ({ provider }: Target) =>
    provider === 'google' || ((provider === 'anthropic' || provider === 'openrouter') && !!reasoning)
  return targets.some(signs) && messages.some(isLacking)
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

function readReasoning(provider: ProviderSlug, { toolCalls, reasoningDetails }: AssistantMessage): Kept | null {
  if (toolCalls.length === 0) return null
  const signed = toolCalls.flatMap(({ id, signature }) => (signature === undefined ? [] : [[id, signature] as const]))
  if (signed.length === 0 && reasoningDetails.length === 0) return null
  return { provider, details: reasoningDetails, signatures: Object.fromEntries(signed) }
}

/** Cannot collide with the key of a session: a session id cannot contain `#`. */
function keyOf(verified: Verified, { toolCalls }: AssistantMessage): string {
  const call = createHash('sha256')
    .update(toolCalls[0]?.id ?? '')
    .digest('base64url')
  return `${conversationOwner(verified)}#${call}`
}
