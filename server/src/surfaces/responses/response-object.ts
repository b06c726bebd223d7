// Renders the object of a response: what it repeats of the request, its state, its output and its usage.

import type { FinishReason, Usage } from '../../domain/conversation/answer.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { ResponseRequestFrame } from './estimate-request.ts'

/** What an answer is called, unless its provider names its own model or time. */
export interface ResponseIdentity {
  id: string
  createdSeconds: number
  model: string
}

/** How a response stands. */
export interface ResponseState {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: readonly JsonObject[]
  usage: Usage | null
  /** Why it is incomplete. */
  reason?: string
  error?: { code: string; message: string }
}

/** The fields of the request that the answer repeats, with OpenAI's defaults. */
export function echoOf(body: ResponseRequestFrame): JsonObject {
  const reasoning = objectOr(body['reasoning'], {})
  const text = objectOr(body['text'], {})
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: { ...reasoning, effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null },
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? null,
    text: { ...text, format: text['format'] ?? { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? null,
    truncation: body['truncation'] ?? 'disabled',
    metadata: body['metadata'] ?? {},
  }
}

function objectOr(value: unknown, otherwise: JsonObject): JsonObject {
  return (value as JsonObject | null | undefined) ?? otherwise
}

export function renderResponse(identity: ResponseIdentity, echo: JsonObject, state: ResponseState): JsonObject {
  const { id, createdSeconds, model } = identity
  const { status, output, usage, reason, error } = state
  const { metadata, ...repeated } = echo
  return {
    id,
    object: 'response',
    created_at: createdSeconds,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    ...repeated,
    // Last, as OpenAI has it: a reader that has only the end of a long answer finds the usage there.
    usage: usage === null ? null : usageOnWire(usage),
    user: null,
    metadata,
  }
}

/** Undefined for an answer that is complete. */
export function reasonOnWire(reason: FinishReason): string | undefined {
  if (reason === 'length') return 'max_output_tokens'
  return reason === 'content_filter' ? 'content_filter' : undefined
}

function usageOnWire({
  promptTokens,
  completionTokens,
  totalTokens,
  cachedTokens,
  reasoningTokens,
}: Usage): JsonObject {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  }
}
