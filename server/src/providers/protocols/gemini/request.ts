// Writes a prompt as a request of the Gemini API, adapted to what the model accepts.

import type { Prompt, Tool, ToolChoice } from '../../../domain/conversation/prompt.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { jsonInstruction } from '../json-instruction.ts'
import type { Target } from '../protocol.ts'
import { type GeminiTraits, geminiTraits } from './models.ts'
import { renderThinking } from './thinking.ts'
import { renderConversation } from './turns.ts'

/** The provider rejects more; further ones are dropped. */
const maxStops = 5

export function renderGeminiBody(prompt: Prompt, { model, facts }: Target): JsonObject {
  const traits = geminiTraits(model, facts)
  const { instructions, turns } = renderConversation(prompt.messages, traits)
  const { tools, toolChoice } = prompt
  const json = renderJson(prompt, traits)
  const system = json.instruction === null ? instructions : [...instructions, json.instruction]
  const config = renderConfig(prompt, traits, facts.maxOutputTokens)
  const generationConfig = { ...config, ...json.config }
  return omitAbsent({
    systemInstruction: system.length === 0 ? undefined : { parts: [{ text: system.join('\n\n') }] },
    contents: turns,
    tools: tools.length === 0 ? undefined : [{ functionDeclarations: tools.map(renderTool) }],
    toolConfig: tools.length === 0 ? undefined : renderToolChoice(toolChoice),
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
  })
}

function renderConfig(prompt: Prompt, traits: GeminiTraits, maxTokens: number | null): JsonObject {
  const { sampling, stop, choiceCount, maxOutputTokens: asked, logprobs, reasoning } = prompt
  const stopSequences = stop.filter(text => text !== '').slice(0, maxStops)
  const maxOutputTokens = asked === undefined ? undefined : Math.min(asked, maxTokens ?? asked)
  return omitAbsent({
    maxOutputTokens,
    ...(traits.sampling ? { temperature: sampling.temperature, topP: sampling.topP, topK: sampling.topK } : {}),
    ...(traits.sampling && traits.penalties
      ? { presencePenalty: sampling.presencePenalty, frequencyPenalty: sampling.frequencyPenalty }
      : {}),
    seed: sampling.seed,
    stopSequences: stopSequences.length === 0 ? undefined : stopSequences,
    candidateCount: choiceCount === 1 ? undefined : choiceCount,
    ...(logprobs === undefined ? {} : { responseLogprobs: true, logprobs: logprobs.topCount || undefined }),
    thinkingConfig: renderThinking(reasoning, traits.thinking, maxOutputTokens),
  })
}

/** Plain JSON Schema: the API's own schema form supports only a part of it. */
function renderTool({ name, description, parameters }: Tool): JsonObject {
  return omitAbsent({ name, description, parametersJsonSchema: parameters })
}

function renderToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return { functionCallingConfig: { mode: 'NONE' } }
  const names = choice === 'required' ? undefined : [choice.name]
  return { functionCallingConfig: omitAbsent({ mode: 'ANY', allowedFunctionNames: names }) }
}

interface JsonRequest {
  config: JsonObject
  instruction: string | null
}

/** If the model does not accept a JSON mode, or not with tools, it gets an instruction. */
function renderJson({ responseFormat: format, tools, toolChoice }: Prompt, traits: GeminiTraits): JsonRequest {
  if (format === undefined || format.type === 'text') return { config: {}, instruction: null }
  const offersTools = tools.length > 0
  // A forced call excludes another form.
  if (offersTools && (toolChoice === 'required' || typeof toolChoice === 'object')) {
    return { config: {}, instruction: null }
  }
  if (!traits.structuredOutput || (offersTools && !traits.jsonWithTools)) {
    return { config: {}, instruction: jsonInstruction(format) }
  }
  const schema = format.type === 'json_schema' ? { responseJsonSchema: format.schema } : {}
  return { config: { responseMimeType: 'application/json', ...schema }, instruction: null }
}
