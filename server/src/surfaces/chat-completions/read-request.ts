// The second stage of reading a completion's body: into a prompt. An invalid field is a 400 that names it. Fields that
// only some providers know are kept; the protocols decide whether a model accepts them.

import type { InferenceRequest } from '../../domain/conversation/inference-request.ts'
import type {
  Prompt,
  ReasoningEffort,
  ReasoningOptions,
  ResponseFormat,
  Sampling,
  Tool,
  ToolChoice,
} from '../../domain/conversation/prompt.ts'
import { JsonText } from '../../domain/json/json-text.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import {
  findDistinctOthers,
  findField,
  findFlag,
  findInteger,
  findList,
  findNumber,
  findObject,
  findSchema,
  findText,
  getObject,
  getText,
  refuseField,
} from '../request-fields.ts'
import type { RequestFrame } from './estimate-request.ts'
import { readMessage } from './read-message.ts'

const knownFieldNames = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'temperature',
  'top_p',
  'top_k',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'n',
  'logprobs',
  'top_logprobs',
  'reasoning_effort',
  'reasoning',
  'stream',
  'stream_options',
  // Dropped: the gateway sets the end user's id for the provider.
  'user',
  'safety_identifier',
  // Written out before the request is read.
  'prompt',
] as const
export type KnownField = (typeof knownFieldNames)[number]
const knownFields: ReadonlySet<string> = new Set(knownFieldNames)
const knownToolFields = new Set(['type', 'function'])
const knownStreamOptions = new Set(['include_usage'])
export const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
/** Types of `tool_choice` that do not name a function, such as a list of allowed tools. */
export const foreignChoices: ReadonlySet<string> = new Set(['allowed_tools', 'custom'])

export function readRequest(body: RequestFrame): InferenceRequest {
  for (const legacy of ['functions', 'function_call']) {
    if (findField(body, legacy) !== undefined) refuseField(legacy, 'is not supported: use tools and tool_choice')
  }
  const { tools, otherTools } = readTools(body)
  const { toolChoice, foreignChoice } = readToolChoice(body)
  const streamOptions = findObject(body, 'stream_options', 'stream_options') ?? {}
  const prompt = omitAbsent<Prompt>({
    format: 'chat-completions',
    source: null,
    messages: body.messages.map((message, index) => readMessage(message, `messages[${index}]`)),
    tools,
    toolChoice,
    parallelToolCalls: findFlag(body, 'parallel_tool_calls', 'parallel_tool_calls'),
    responseFormat: readResponseFormat(body),
    sampling: readSampling(body),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: readStop(body),
    choiceCount: body.n ?? undefined,
    logprobs: readLogprobs(body),
    reasoning: readReasoning(body),
    stream: body.stream ?? false,
    includeUsage: findFlag(streamOptions, 'include_usage', 'stream_options.include_usage') ?? false,
    extra: omitAbsent<JsonObject>({
      ...findDistinctOthers(body, knownFields),
      stream_options: findDistinctOthers(streamOptions, knownStreamOptions),
      tool_choice: foreignChoice,
    }),
    otherTools,
  })
  return { model: body.model ?? null, prompt }
}

function readSampling(body: JsonObject): Sampling {
  return omitAbsent<Sampling>({
    temperature: findNumber(body, 'temperature', [0, 2]),
    topP: findNumber(body, 'top_p', [0, 1]),
    topK: findInteger(body, 'top_k', 0, 'top_k'),
    presencePenalty: findNumber(body, 'presence_penalty', [-2, 2]),
    frequencyPenalty: findNumber(body, 'frequency_penalty', [-2, 2]),
    seed: findInteger(body, 'seed', Number.MIN_SAFE_INTEGER, 'seed'),
  })
}

function readStop(body: JsonObject): string[] {
  const stop = findField(body, 'stop')
  if (stop === undefined) return []
  if (typeof stop === 'string') return [stop]
  const isList = Array.isArray(stop) && stop.every((item): item is string => typeof item === 'string')
  return isList ? stop : refuseField('stop', 'must be a string or an array of strings')
}

function readLogprobs(body: JsonObject): Prompt['logprobs'] {
  const isWanted = findFlag(body, 'logprobs', 'logprobs') ?? false
  const topCount = findInteger(body, 'top_logprobs', 0, 'top_logprobs')
  if (!isWanted && topCount !== undefined) refuseField('top_logprobs', 'needs logprobs to be true')
  return isWanted ? omitAbsent({ topCount }) : undefined
}

function readReasoning(body: JsonObject): ReasoningOptions | undefined {
  const wish = findObject(body, 'reasoning', 'reasoning')
  const effort =
    readEffort(findField(body, 'reasoning_effort'), 'reasoning_effort') ??
    readEffort(findField(wish ?? {}, 'effort'), 'reasoning.effort')
  if (wish === undefined) return effort === undefined ? undefined : { effort }
  const isEnabled = findFlag(wish, 'enabled', 'reasoning.enabled')
  return omitAbsent<ReasoningOptions>({
    effort: effort ?? (isEnabled === undefined ? undefined : isEnabled ? 'medium' : 'none'),
    maxTokens: findInteger(wish, 'max_tokens', 0, 'reasoning.max_tokens'),
    isHidden: findFlag(wish, 'exclude', 'reasoning.exclude'),
  })
}

function readEffort(value: unknown, path: string): ReasoningEffort | undefined {
  if (value === undefined) return undefined
  return efforts.find(effort => effort === value) ?? refuseField(path, `must be one of: ${efforts.join(', ')}`)
}

function readResponseFormat(body: JsonObject): ResponseFormat | undefined {
  const format = findObject(body, 'response_format', 'response_format')
  switch (format?.['type']) {
    case undefined:
      return format === undefined ? undefined : refuseField('response_format.type', 'is required')
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      const path = 'response_format.json_schema'
      const wanted = getObject(format['json_schema'], path)
      return omitAbsent<ResponseFormat>({
        type: 'json_schema',
        name: getText(wanted, 'name', `${path}.name`),
        description: findText(wanted, 'description', `${path}.description`),
        schema: findSchema(wanted, 'schema', `${path}.schema`) ?? JsonText.of({}),
        strict: findFlag(wanted, 'strict', `${path}.strict`),
      })
    }
    default:
      return refuseField('response_format.type', 'must be one of: text, json_object, json_schema')
  }
}

function readTools(body: JsonObject): { tools: Tool[]; otherTools: JsonObject[] } {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [index, value] of (findList(body, 'tools', 'tools') ?? []).entries()) {
    const path = `tools[${index}]`
    const tool = getObject(value, path)
    const type = findText(tool, 'type', `${path}.type`) ?? 'function'
    if (type === 'custom') refuseField(`${path}.type`, 'must not be custom: use function')
    if (type === 'function') tools.push(readTool(tool, `${path}.function`))
    else otherTools.push(tool)
  }
  return { tools, otherTools }
}

function readTool(tool: JsonObject, path: string): Tool {
  const described = getObject(tool['function'], path)
  return omitAbsent<Tool>({
    name: getText(described, 'name', `${path}.name`),
    description: findText(described, 'description', `${path}.description`),
    parameters: findSchema(described, 'parameters', `${path}.parameters`),
    strict: findFlag(described, 'strict', `${path}.strict`),
    extra: findDistinctOthers(tool, knownToolFields),
  })
}

function readToolChoice(body: JsonObject): { toolChoice?: ToolChoice; foreignChoice?: unknown } {
  const choice = findField(body, 'tool_choice')
  if (choice === undefined) return {}
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { toolChoice: choice }
  const wanted = getObject(choice, 'tool_choice')
  if (typeof wanted['type'] === 'string' && foreignChoices.has(wanted['type'])) return { foreignChoice: wanted }
  const named = getObject(wanted['function'], 'tool_choice.function')
  return { toolChoice: { name: getText(named, 'name', 'tool_choice.function.name') } }
}
