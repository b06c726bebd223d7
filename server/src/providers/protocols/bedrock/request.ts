// Writes a prompt as a request of the Converse API. Anthropic's request is written first: its turns, tools and limits
// follow the rules that Converse has for all models, and are then given Converse's names.

import type { Prompt } from '../../../domain/conversation/prompt.ts'
import { writeJson } from '../../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { writeAnthropicRequest } from '../anthropic/request.ts'
import type { Target, UpstreamRequest } from '../protocol.ts'
import { ConverseBlockWriter } from './blocks.ts'
import { type BedrockTraits, bedrockTraits, effortWord } from './models.ts'

const withoutTools = 'Answer without calling a tool.'
const oneCallAtATime = 'Call at most one tool at a time.'

export function renderBedrockRequest(prompt: Prompt, target: Target): UpstreamRequest {
  const traits = bedrockTraits(target.model, target.facts)
  const { body, headers, reading } = writeAnthropicRequest({ ...prompt, format: 'bedrock' }, target, traits)
  const writer = new ConverseBlockWriter()
  const turns = objectsIn(body['messages']).map(turn => writer.writeTurn(turn))
  const { toolConfig, hints } = renderTools(prompt, body)
  const system = [typeof body['system'] === 'string' ? body['system'] : [], hints].flat()
  return {
    path: ['model', target.model, prompt.stream ? 'converse-stream' : 'converse'],
    body: omitAbsent<JsonObject>({
      messages: turns,
      system: system.length === 0 ? undefined : [{ text: system.join('\n\n') }],
      inferenceConfig: unlessEmpty(renderInference(prompt, body, target)),
      toolConfig,
      outputConfig: renderOutput(prompt, body),
      additionalModelRequestFields: unlessEmpty(renderOwnFields(prompt, body, traits, headers?.['anthropic-beta'])),
    }),
    reading,
  }
}

function renderInference({ maxOutputTokens }: Prompt, body: JsonObject, { facts }: Target): JsonObject {
  const { max_tokens: limit, temperature, top_p: topP, stop_sequences: stopSequences, thinking } = body
  // Anthropic's format requires a limit. Converse has the model's maximum as its default; a budget needs a limit above.
  const isLimited = maxOutputTokens !== undefined || facts.maxOutputTokens !== null || thinking !== undefined
  return omitAbsent({ maxTokens: isLimited ? limit : undefined, temperature, topP, stopSequences })
}

interface ToolFields {
  toolConfig: JsonObject | undefined
  /** Converse cannot forbid calls, nor several calls at once, but a model can be asked not to make them. */
  hints: string[]
}

function renderTools({ messages }: Prompt, body: JsonObject): ToolFields {
  const tools = objectsIn(body['tools']).map(renderTool)
  const choice = isJsonObject(body['tool_choice']) ? body['tool_choice'] : {}
  const isForbidden = choice['type'] === 'none'
  const hasCalled = messages.some(message => message.role === 'assistant' && message.toolCalls.length > 0)
  // Calls in the history are rejected if no tool is declared.
  if (tools.length === 0 || (isForbidden && !hasCalled)) return { toolConfig: undefined, hints: [] }
  const isSingle = choice['disable_parallel_tool_use'] === true
  const hints = [isForbidden ? withoutTools : [], isSingle ? oneCallAtATime : []].flat()
  return { toolConfig: omitAbsent({ tools, toolChoice: renderChoice(choice) }), hints }
}

function renderTool({ name, description, input_schema: json, strict }: JsonObject): JsonObject {
  return {
    toolSpec: omitAbsent<JsonObject>({
      name,
      description: description === '' ? undefined : description,
      inputSchema: { json },
      strict,
    }),
  }
}

/** `auto` is the default, and several families reject the field. */
function renderChoice({ type, name }: JsonObject): JsonObject | undefined {
  if (type === 'any') return { any: {} }
  return type === 'tool' ? { tool: { name } } : undefined
}

function renderOutput({ responseFormat }: Prompt, { output_config: config }: JsonObject): JsonObject | undefined {
  const format = isJsonObject(config) ? config['format'] : undefined
  if (!isJsonObject(format) || responseFormat?.type !== 'json_schema') return undefined
  const { name, description } = responseFormat
  const jsonSchema = omitAbsent({ schema: writeJson(format['schema']), name, description })
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } }
}

/** The fields that only the model's vendor knows. */
function renderOwnFields(
  { sampling, reasoning }: Prompt,
  { thinking, top_k: topK, output_config: config }: JsonObject,
  traits: BedrockTraits,
  beta: string | undefined,
): JsonObject {
  const effort = isJsonObject(config) ? config['effort'] : undefined
  const asked = reasoning?.effort === undefined ? null : effortWord(reasoning.effort)
  return omitAbsent<JsonObject>({
    thinking,
    output_config: effort === undefined ? undefined : { effort },
    anthropic_beta: beta === undefined ? undefined : [beta],
    ...(topK === undefined || sampling.topK === undefined ? {} : traits.topK?.(sampling.topK)),
    ...(asked === null ? {} : traits.effort?.(asked)),
  })
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object
}
