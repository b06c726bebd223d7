// Writes a prompt as a Cohere chat request, adapted to what the model accepts.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'
import type { Prompt, ReasoningEffort, Sampling, Tool } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { jsonInstruction } from '../json-instruction.ts'
import type { Target } from '../protocol.ts'
import { thinkingBelow, thinkingShare } from '../thinking-share.ts'
import { renderMessages } from './messages.ts'

/** The provider rejects more; further ones are dropped. */
const maxStops = 5

export function renderCohereBody(prompt: Prompt, { model, facts }: Target): JsonObject {
  const { choiceCount, maxOutputTokens: asked, sampling, logprobs } = prompt
  if (choiceCount !== undefined && choiceCount > 1) {
    throw new Refusal('invalid_request', { message: "The model's provider gives one choice alone", param: 'n' })
  }
  const maxTokens = asked === undefined ? undefined : Math.min(asked, facts.maxOutputTokens ?? asked)
  const stop = prompt.stop.filter(text => text !== '').slice(0, maxStops)
  const format = renderFormat(prompt, facts)
  // With tools, and for some models, JSON can only be requested by an instruction.
  const instruction = format === undefined ? jsonInstruction(prompt.responseFormat) : null
  return omitAbsent({
    model,
    messages: renderMessages(prompt.messages, instruction),
    ...renderTools(prompt),
    response_format: format,
    max_tokens: maxTokens,
    stop_sequences: stop.length === 0 ? undefined : stop,
    seed: sampling.seed,
    ...(facts.temperature === false ? {} : renderSampling(sampling)),
    logprobs: logprobs === undefined ? undefined : true,
    thinking: renderThinking(prompt, facts, maxTokens),
    stream: prompt.stream || undefined,
  })
}

function renderSampling({ temperature, topP, topK, frequencyPenalty, presencePenalty }: Sampling): JsonObject {
  const frequency = clamp(frequencyPenalty, 0, 1)
  const presence = clamp(presencePenalty, 0, 1)
  return {
    temperature: clamp(temperature, 0, 1),
    p: clamp(topP, 0.01, 0.99),
    k: clamp(topK, 0, 500),
    // The provider rejects both at once.
    frequency_penalty: frequency || presence === undefined ? frequency : undefined,
    presence_penalty: frequency ? undefined : presence,
  }
}

function clamp(value: number | undefined, min: number, max: number): number | undefined {
  return value === undefined ? undefined : Math.min(max, Math.max(min, value))
}

function renderTools({ tools, toolChoice }: Prompt): JsonObject {
  if (tools.length === 0) return {}
  const named = typeof toolChoice === 'object' ? toolChoice.name : null
  const offered = named === null ? tools : tools.filter(({ name }) => name === named)
  if (offered.length === 0) {
    throw new Refusal('invalid_request', { message: 'tool_choice must name one of tools', param: 'tool_choice' })
  }
  const isDemanded = named !== null || toolChoice === 'required'
  return {
    tools: offered.map(renderTool),
    tool_choice: isDemanded ? 'REQUIRED' : toolChoice === 'none' ? 'NONE' : undefined,
    strict_tools: offered.every(mayBeStrict) || undefined,
  }
}

function renderTool({ name, description, parameters }: Tool): JsonObject {
  const schema = parameters ?? { type: 'object', properties: {} }
  return { type: 'function', function: omitAbsent({ name, description, parameters: schema }) }
}

/** `strict` applies to all tools of a request, and is rejected if one of them has no required parameter. */
function mayBeStrict({ strict, parameters }: Tool): boolean {
  const required = parameters?.value['required']
  return strict === true && Array.isArray(required) && required.length > 0
}

function renderFormat({ responseFormat: format, tools }: Prompt, facts: ModelFacts): JsonObject | undefined {
  if (format === undefined || format.type === 'text' || tools.length > 0) return undefined
  if (format.type === 'json') return { type: 'json_object' }
  if (facts.structuredOutput === false) return undefined
  return { type: 'json_object', json_schema: format.schema }
}

/** Efforts that are not listed have no limit. */
const effortTokens: Partial<Record<ReasoningEffort, number>> = { minimal: 512, low: 1_024, medium: 4_096 }

function renderThinking(
  { reasoning }: Prompt,
  facts: ModelFacts,
  maxOutputTokens: number | undefined,
): JsonObject | undefined {
  if (reasoning === undefined || facts.reasoning !== true) return undefined
  const { effort, maxTokens } = reasoning
  if (effort === 'none' || (effort === undefined && maxTokens === 0)) return { type: 'disabled' }
  // A client that gives a number has divided the tokens itself.
  const asked = effort === undefined ? maxTokens : thinkingShare(effortTokens[effort], maxOutputTokens)
  const budget = asked === undefined ? undefined : thinkingBelow(asked, maxOutputTokens, 1)
  return budget === null ? { type: 'disabled' } : omitAbsent({ type: 'enabled', token_budget: budget })
}
