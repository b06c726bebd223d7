// Writes a prompt as a chat-completions request, adapted to the dialect and to what the model accepts.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'
import type { Message, Prompt, ResponseFormat, Tool, ToolChoice } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'
import { omitAbsent } from '../../../domain/json-object.ts'
import { jsonInstruction } from '../json-instruction.ts'
import type { Target } from '../protocol.ts'
import { splitInstructions } from '../tool-exchanges.ts'
import type { ChatDialect } from './dialects.ts'
import { renderMessages } from './messages.ts'
import { moveMedia } from './tool-media.ts'

export function renderChatBody(prompt: Prompt, target: Target, dialect: ChatDialect): JsonObject {
  const { facts } = target
  const hasTools = prompt.tools.length > 0 || (dialect.takesUnknownFields && prompt.otherTools.length > 0)
  const limit = limitFor(prompt, facts)
  return omitAbsent({
    ...(dialect.takesUnknownFields ? takenExtra(prompt, facts) : {}),
    model: target.model,
    messages: renderMessages(withMediaAfterResults(prompt, withSchemaHint(prompt, facts)), dialect, hasTools),
    tools: hasTools ? renderTools(prompt, dialect) : undefined,
    ...(hasTools ? renderToolChoice(prompt, dialect) : {}),
    parallel_tool_calls: hasTools ? prompt.parallelToolCalls : undefined,
    response_format: prompt.responseFormat && renderFormat(prompt.responseFormat, facts),
    ...renderSampling(prompt, facts, dialect),
    [facts.reasoning === true ? dialect.reasoningLimitField : dialect.limitField]: limit,
    stop: renderStop(prompt, facts, dialect),
    n: prompt.choiceCount,
    ...renderReasoning(prompt, facts, dialect, limit),
    ...renderStream(prompt, dialect),
    ...(dialect.endUserField === null ? {} : { [dialect.endUserField]: target.endUserHash ?? undefined }),
  })
}

/** Other formats have images and files in results of tools, which here only hold text: a user message shows them. */
function withMediaAfterResults({ format }: Prompt, messages: Message[]): Message[] {
  return format === 'chat-completions' ? messages : moveMedia(messages)
}

/** Models that reject sampling fields also reject these. */
function takenExtra({ extra }: Prompt, facts: ModelFacts): JsonObject {
  if (facts.temperature !== false) return extra
  const { logit_bias: _, ...taken } = extra
  return taken
}

function renderSampling({ sampling, logprobs }: Prompt, facts: ModelFacts, dialect: ChatDialect): JsonObject {
  const seed = { [dialect.seedField]: sampling.seed }
  if (facts.temperature === false) return seed
  return {
    ...seed,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: dialect.takesTopK ? sampling.topK : undefined,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    ...(logprobs && dialect.takesLogprobs ? { logprobs: true, top_logprobs: logprobs.topCount } : {}),
  }
}

function limitFor(
  { maxOutputTokens }: Prompt,
  { maxOutputTokens: modelLimit, contextWindow }: ModelFacts,
): number | undefined {
  if (maxOutputTokens === undefined) return undefined
  const limit = Math.min(maxOutputTokens, modelLimit ?? maxOutputTokens)
  // A limit as large as the context leaves no tokens for the prompt and is rejected; no limit means the same.
  return contextWindow !== null && limit >= contextWindow ? undefined : limit
}

function renderStop({ stop }: Prompt, { reasoning }: ModelFacts, dialect: ChatDialect): string[] | undefined {
  if (stop.length === 0 || (!dialect.reasoningTakesStop && reasoning === true)) return undefined
  return stop.length <= dialect.maxStops ? stop : stop.slice(0, dialect.maxStops)
}

function renderReasoning(
  { reasoning }: Prompt,
  facts: ModelFacts,
  { effort }: ChatDialect,
  limit: number | undefined,
): JsonObject {
  if (reasoning === undefined || facts.reasoning === false) return {}
  const word = reasoning.effort && effort.words[reasoning.effort]
  if (effort.field === 'reasoning_effort') return { reasoning_effort: word }
  const budget = word === undefined ? budgetBelow(limit, reasoning.maxTokens) : undefined
  const options = omitAbsent<JsonObject>({ effort: word, max_tokens: budget, exclude: reasoning.isHidden })
  return { reasoning: Object.keys(options).length === 0 ? undefined : options }
}

/** Some of the models behind OpenRouter think with at least this many tokens, or not at all. */
const minBudget = 1024

/** Undefined if the model is not told to think: the limit of the output does not hold the least budget. */
function budgetBelow(limit: number | undefined, budget: number | undefined): number | undefined {
  if (budget === undefined || budget === 0 || limit === undefined) return budget
  return limit > minBudget ? Math.min(budget, limit - 1) : undefined
}

function renderStream({ stream, extra }: Prompt, { takesStreamOptions }: ChatDialect): JsonObject {
  if (!stream) return { stream: undefined, stream_options: undefined }
  if (!takesStreamOptions) return { stream: true }
  const wanted = extra['stream_options']
  return { stream: true, stream_options: { ...(typeof wanted === 'object' ? wanted : {}), include_usage: true } }
}

function renderTools({ tools, otherTools }: Prompt, dialect: ChatDialect): JsonObject[] {
  const written = tools.map(tool => renderTool(tool, dialect))
  return dialect.takesUnknownFields ? [...written, ...otherTools] : written
}

function renderTool({ name, description, parameters, strict, extra }: Tool, dialect: ChatDialect): JsonObject {
  const needed = dialect.isStrict ? { type: 'object', properties: {} } : undefined
  return {
    ...(dialect.takesUnknownFields ? extra : {}),
    type: 'function',
    function: omitAbsent({ name, description, parameters: parameters ?? needed, strict }),
  }
}

function renderToolChoice({ toolChoice }: Prompt, dialect: ChatDialect): JsonObject {
  return toolChoice === undefined ? {} : { tool_choice: choiceOnWire(toolChoice, dialect) }
}

function choiceOnWire(choice: ToolChoice, { requiredChoice }: ChatDialect): unknown {
  if (choice === 'required') return requiredChoice
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

function renderFormat(format: ResponseFormat, facts: ModelFacts): JsonObject | undefined {
  switch (format.type) {
    case 'json':
      return { type: 'json_object' }
    case 'json_schema': {
      if (facts.structuredOutput === false) return undefined
      const { name, description, schema, strict } = format
      return { type: 'json_schema', json_schema: omitAbsent({ name, description, schema, strict }) }
    }
    case 'text':
      return { type: 'text' }
  }
}

/**
 * A model that does not accept a schema gets an instruction: an answer that usually has the right form is better than
 * none.
 */
function withSchemaHint({ messages, responseFormat }: Prompt, facts: ModelFacts): Message[] {
  if (responseFormat?.type !== 'json_schema' || facts.structuredOutput !== false) return messages
  const { leading, rest } = splitInstructions(messages)
  return [...leading, { role: 'system', content: jsonInstruction(responseFormat) ?? '' }, ...rest]
}
