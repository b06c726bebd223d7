// Renders deltas as an Anthropic message: as the events of a stream, or as one object with the same content.

import type { Delta, Finish, FinishReason, Usage } from '../../domain/conversation/answer.ts'
import { JsonText } from '../../domain/json/json-text.ts'
import { addMembers, isJsonObject, type JsonObject, omitAbsent, parseJson } from '../../domain/json-object.ts'
import { BlockWriter } from './block-writer.ts'

/** Used in the answer unless the provider names its own. */
export interface MessageIdentity {
  id: string
  model: string
}

export class MessageEvents {
  readonly #identity: MessageIdentity
  readonly #blocks = new BlockWriter()
  #hasBegun = false
  #isRefusal = false
  #finish: Finish | null = null
  #usage: Usage | null = null

  constructor(identity: MessageIdentity) {
    this.#identity = identity
  }

  /** Returns the events for this delta. The finish and the usage come with `end`; an `error` has no event here. */
  write(delta: Delta): JsonObject[] {
    switch (delta.type) {
      case 'origin':
        return this.#begin(delta)
      case 'usage':
        this.#usage = delta.usage
        return []
      case 'finish':
        if (delta.choice === 0) this.#finish = delta
        return []
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'tool_call':
      case 'tool_arguments':
      case 'native':
        if (delta.choice !== 0) return []
        if (delta.type === 'refusal') this.#isRefusal = true
        return [...this.#begin(), ...this.#blocks.write(delta)]
      default:
        return []
    }
  }

  /** The last events of a complete answer. */
  end(): JsonObject[] {
    const events = [...this.#begin(), ...this.#blocks.end()]
    const delta = { stop_reason: this.#stopReason(), stop_sequence: this.#finish?.stopSequence ?? null }
    return [...events, { type: 'message_delta', delta, usage: usageOnWire(this.#usage) }, { type: 'message_stop' }]
  }

  #begin(origin?: Extract<Delta, { type: 'origin' }>): JsonObject[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    const { id, model } = this.#identity
    const message = {
      // The ids of other providers' answers are not those of messages.
      id: origin?.id?.startsWith('msg_') ? origin.id : id,
      type: 'message',
      role: 'assistant',
      model: origin?.model ?? model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOnWire(null),
    }
    return [{ type: 'message_start', message }]
  }

  #stopReason(): string {
    if (this.#isRefusal) return 'refusal'
    const { reason = 'stop', native = null } = this.#finish ?? {}
    if (native !== null && ownStopReasons.has(native)) return native
    // Some providers finish a forced call like a text.
    return reason === 'stop' && this.#blocks.callCount > 0 ? 'tool_use' : stopReasons[reason]
  }
}

const stopReasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

export const ownStopReasons: ReadonlySet<string> = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
])

/** The input excludes what was read from or written to a cache. A stream tells its usage at its end: nothing before. */
function usageOnWire(usage: Usage | null): JsonObject {
  if (usage === null) return { input_tokens: 0, output_tokens: 0 }
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  return omitAbsent({
    input_tokens: Math.max(0, promptTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_creation_input_tokens: cacheWriteTokens ?? 0,
    cache_read_input_tokens: cachedTokens ?? 0,
    output_tokens: completionTokens,
    output_tokens_details: reasoningTokens === null ? undefined : { thinking_tokens: reasoningTokens },
  })
}

/** Builds the message that a client builds from the events of a stream. */
export class MessageWriter {
  readonly #events: MessageEvents
  readonly #message: JsonObject = {}
  readonly #content: JsonObject[] = []
  readonly #inputs = new Map<JsonObject, string>()

  constructor(identity: MessageIdentity) {
    this.#events = new MessageEvents(identity)
  }

  write(delta: Delta): void {
    for (const event of this.#events.write(delta)) this.#take(event)
  }

  whole(): JsonObject {
    for (const event of this.#events.end()) this.#take(event)
    for (const [block, text] of this.#inputs) block['input'] = readInput(text)
    return this.#message
  }

  #take(event: JsonObject): void {
    const { type, index, delta } = event
    const content = this.#content
    const block = content[Number(index)]
    if (type === 'message_start') addMembers(this.#message, { ...(event['message'] as JsonObject), content })
    else if (type === 'content_block_start') content.push({ ...(event['content_block'] as JsonObject) })
    else if (type === 'content_block_delta' && block !== undefined) addPiece(block, delta as JsonObject, this.#inputs)
    else if (type === 'message_delta') addMembers(this.#message, { ...(delta as JsonObject), usage: event['usage'] })
  }
}

export function renderMessage(identity: MessageIdentity, deltas: readonly Delta[]): JsonObject {
  const writer = new MessageWriter(identity)
  for (const delta of deltas) writer.write(delta)
  return writer.whole()
}

function addPiece(block: JsonObject, delta: JsonObject, inputs: Map<JsonObject, string>): void {
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = `${block['text']}${delta['text']}`
      break
    case 'thinking_delta':
      block['thinking'] = `${block['thinking']}${delta['thinking']}`
      break
    case 'signature_delta':
      block['signature'] = delta['signature']
      break
    case 'input_json_delta':
      inputs.set(block, (inputs.get(block) ?? '') + delta['partial_json'])
      break
    case 'citations_delta':
      block['citations'] = [...((block['citations'] as unknown[] | undefined) ?? []), delta['citation']]
  }
}

/** Arguments that were cut off have no value. */
function readInput(text: string): JsonText {
  return isJsonObject(parseJson(text)) ? new JsonText(text) : JsonText.of({})
}
