// Renders deltas as an OpenAI chat completion: as the chunks of a stream, or as one object.

import type { Delta, Logprobs, Usage } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { KeptList } from '../../domain/json/kept-json.ts'
import { isJsonList } from '../../domain/json/lazy-list.ts'
import { addMembers, type JsonObject, omitAbsent } from '../../domain/json-object.ts'

/** Used in the answer unless the provider names its own id, time or model. */
export interface CompletionIdentity {
  id: string
  createdSeconds: number
  model: string
}

export interface ChunkWriter {
  /** Returns the chunks for this delta: none, one, or two if it begins a choice. */
  write(delta: Delta): JsonObject[]
  /** Call this for deltas that were sent to the client as the provider's own bytes. */
  notePassed(deltas: readonly Delta[]): void
}

export function createChunkWriter(
  identity: CompletionIdentity,
  { includeUsage }: { includeUsage: boolean },
): ChunkWriter {
  let frame = frameOf(identity, 'chat.completion.chunk')
  const begun = new Set<number>()

  function chunk(choice: number, delta: JsonObject, logprobs?: Logprobs): JsonObject {
    return { ...frame, choices: [{ index: choice, delta, logprobs: logprobs ?? null, finish_reason: null }] }
  }

  function write(delta: Delta): JsonObject[] {
    switch (delta.type) {
      case 'origin':
        frame = frameOf(renamed(identity, delta), 'chat.completion.chunk')
        return []
      case 'error':
      case 'native':
      case 'result':
        return []
      case 'usage':
        return includeUsage ? [{ ...frame, choices: [], usage: usageOnWire(delta.usage) }] : []
    }
    const rendered =
      delta.type === 'finish' ? finishChunk(delta) : chunk(delta.choice, deltaOnWire(delta), logprobsOf(delta))
    if (begun.has(delta.choice)) return [rendered]
    begun.add(delta.choice)
    return [chunk(delta.choice, { role: 'assistant', content: '', refusal: null }), rendered]
  }

  function finishChunk({ choice, reason, native }: Extract<Delta, { type: 'finish' }>): JsonObject {
    const finished = { index: choice, delta: {}, logprobs: null, finish_reason: reason, native_finish_reason: native }
    return { ...frame, choices: [finished] }
  }

  function notePassed(deltas: readonly Delta[]): void {
    for (const delta of deltas) if ('choice' in delta) begun.add(delta.choice)
  }

  return { write, notePassed }
}

type PieceDelta = Exclude<Delta, { type: 'origin' | 'error' | 'usage' | 'finish' | 'native' | 'result' }>

function deltaOnWire(delta: PieceDelta): JsonObject {
  switch (delta.type) {
    case 'text':
      return { content: delta.text }
    case 'refusal':
      return { refusal: delta.text }
    case 'reasoning':
      return omitAbsent({
        reasoning_content: delta.text === '' ? undefined : delta.text,
        reasoning_details: delta.detail && [delta.detail],
      })
    case 'tool_call':
      return { tool_calls: [{ index: delta.call, ...callOnWire(delta) }] }
    case 'tool_arguments':
      return { tool_calls: [{ index: delta.call, function: { arguments: delta.text } }] }
    case 'fields':
      return delta.fields
  }
}

function logprobsOf(delta: PieceDelta): Logprobs | undefined {
  return delta.type === 'text' || delta.type === 'refusal' ? delta.logprobs : undefined
}

interface Call {
  id: string
  name: string
  arguments: string
  signature?: string
}

function callOnWire({ id, name, arguments: text, signature }: Call): JsonObject {
  const call = { id, type: 'function', function: { name, arguments: text } }
  return signature === undefined ? call : { ...call, extra_content: { google: { thought_signature: signature } } }
}

interface Choice {
  text: string | null
  refusal: string | null
  reasoning: string
  details: ReasoningDetail[]
  calls: Call[]
  fields: JsonObject
  logprobs: Logprobs | null
  reason: string | null
  native: string | null
}

/** Builds a whole answer, without the deltas that the format cannot express. */
export class CompletionWriter {
  readonly #identity: CompletionIdentity
  #frame: JsonObject
  #usage: Usage | null = null
  readonly #choices = new Map<number, Choice>()

  constructor(identity: CompletionIdentity) {
    this.#identity = identity
    this.#frame = frameOf(identity, 'chat.completion')
  }

  write(delta: Delta): void {
    if (delta.type === 'origin') this.#frame = frameOf(renamed(this.#identity, delta), 'chat.completion')
    else if (delta.type === 'usage') this.#usage = delta.usage
    else if (delta.type !== 'error' && delta.type !== 'native' && delta.type !== 'result') {
      const choice = this.#choices.get(delta.choice) ?? emptyChoice()
      this.#choices.set(delta.choice, choice)
      addPiece(choice, delta)
    }
  }

  whole(): JsonObject {
    const inOrder = [...this.#choices].sort(([a], [b]) => a - b)
    return omitAbsent({
      ...this.#frame,
      choices: inOrder.map(([index, choice]) => choiceOnWire(index, choice)),
      usage: this.#usage === null ? undefined : usageOnWire(this.#usage),
    })
  }
}

export function renderCompletion(identity: CompletionIdentity, deltas: readonly Delta[]): JsonObject {
  const writer = new CompletionWriter(identity)
  for (const delta of deltas) writer.write(delta)
  return writer.whole()
}

function emptyChoice(): Choice {
  const nothing = { text: null, refusal: null, reasoning: '', logprobs: null, reason: null, native: null }
  return { ...nothing, details: [], calls: [], fields: {} }
}

function addPiece(choice: Choice, delta: PieceDelta | Extract<Delta, { type: 'finish' }>): void {
  switch (delta.type) {
    case 'text':
    case 'refusal':
      choice[delta.type] = (choice[delta.type] ?? '') + delta.text
      if (delta.logprobs) addLogprobs(choice, delta.logprobs)
      break
    case 'reasoning':
      choice.reasoning += delta.text
      if (delta.detail) choice.details.push(delta.detail)
      break
    case 'tool_call': {
      const { id, name, arguments: text, signature } = delta
      choice.calls[delta.call] = { id, name, arguments: text, ...(signature === undefined ? {} : { signature }) }
      break
    }
    case 'tool_arguments': {
      const call = choice.calls[delta.call]
      if (call) call.arguments += delta.text
      break
    }
    case 'fields':
      addMembers(choice.fields, delta.fields)
      break
    case 'finish':
      choice.reason = delta.reason
      choice.native = delta.native
  }
}

function choiceOnWire(index: number, choice: Choice): JsonObject {
  const { calls, details, reasoning, refusal, logprobs } = choice
  // An answer without any content has an empty text.
  const content = choice.text ?? (calls.length > 0 || refusal !== null ? null : '')
  const message = omitAbsent({
    ...choice.fields,
    role: 'assistant',
    content,
    refusal,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    reasoning_details: details.length === 0 ? undefined : details,
    tool_calls: calls.length === 0 ? undefined : calls.map(callOnWire),
  })
  return { index, message, logprobs, finish_reason: choice.reason, native_finish_reason: choice.native }
}

function addLogprobs(choice: Choice, { content, refusal }: Logprobs): void {
  choice.logprobs = {
    content: joinTokens(choice.logprobs?.content, content),
    refusal: joinTokens(choice.logprobs?.refusal, refusal),
  }
}

/** Adds to the list of this choice, as JSON: its tokens take less memory then, and are made while they arrive. */
function joinTokens(before: unknown, more: unknown): unknown {
  if (!isJsonList(more)) return more ?? before ?? null
  const list = before instanceof KeptList ? before : new KeptList()
  list.add(more)
  return list
}

function usageOnWire(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens, cost } = usage
  return omitAbsent({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: cachedTokens === null ? undefined : { cached_tokens: cachedTokens },
    completion_tokens_details: reasoningTokens === null ? undefined : { reasoning_tokens: reasoningTokens },
    cost,
  })
}

function renamed(identity: CompletionIdentity, { id, model, createdSeconds }: Extract<Delta, { type: 'origin' }>) {
  return {
    id: id ?? identity.id,
    model: model ?? identity.model,
    createdSeconds: createdSeconds ?? identity.createdSeconds,
  }
}

function frameOf({ id, createdSeconds, model }: CompletionIdentity, object: string): JsonObject {
  return { id, object, created: createdSeconds, model }
}
