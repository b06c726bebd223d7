// The second stage of reading a body of /v1/messages: into a prompt. An invalid field is a 400 that names it. Fields
// that only Anthropic knows are kept for it; settings that other providers share are read into the prompt's own form
// as well.

import type { InferenceRequest } from '../../domain/conversation/inference-request.ts'
import type {
  Message,
  Prompt,
  ReasoningEffort,
  ReasoningOptions,
  ResponseFormat,
  Tool,
  ToolChoice,
} from '../../domain/conversation/prompt.ts'
import { JsonText } from '../../domain/json/json-text.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { findDistinctOthers, findField, findOthers, hasTwins } from '../request-fields.ts'
import type { MessagesFrame } from './estimate-request.ts'
import {
  findFlag,
  findInteger,
  findList,
  findObject,
  findShare,
  findText,
  getObject,
  getText,
  refuseField,
  refuseTag,
  refuseType,
} from './fields.ts'
import { readTexts } from './read-content.ts'
import { readMessage } from './read-message.ts'

const knownFieldNames = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  // Dropped: the gateway sets the end user's id for the provider.
  'metadata',
] as const
/** Kept for Anthropic as they are, and read into the prompt's own form for other providers. */
type SharedField = 'thinking' | 'output_config'
export type MessagesField = (typeof knownFieldNames)[number] | SharedField
const knownFields: ReadonlySet<string> = new Set(knownFieldNames)
const knownToolFields = new Set(['type', 'name', 'description', 'input_schema', 'strict'])
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly ReasoningEffort[]
export const thinkingKinds = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const
const minBudget = 1_024

export function readRequest(body: MessagesFrame, bytes: Uint8Array | null): InferenceRequest {
  const messages = [
    ...readSystem(body),
    ...body.messages.flatMap((one, index) => readMessage(one, `messages.${index}`)),
  ]
  const { tools, otherTools } = readTools(body)
  const choice = findObject(body, 'tool_choice', 'tool_choice')
  const prompt = omitAbsent<Prompt>({
    format: 'messages',
    source: bytes === null || hasTwins(body, knownFields) ? null : { body: bytes, messages },
    messages,
    tools,
    otherTools,
    toolChoice: choice && readToolChoice(choice),
    parallelToolCalls: choice && readParallel(choice),
    responseFormat: readResponseFormat(body),
    sampling: omitAbsent({
      temperature: findShare(body, 'temperature'),
      topP: findShare(body, 'top_p'),
      topK: findInteger(body, 'top_k', 0, 'top_k'),
    }),
    maxOutputTokens: body.max_tokens ?? undefined,
    stop: readStop(body),
    reasoning: readReasoning(body),
    stream: body.stream ?? false,
    includeUsage: true,
    extra: findDistinctOthers(body, knownFields) ?? {},
  })
  return { model: body.model ?? null, prompt }
}

function readSystem(body: JsonObject): Message[] {
  const system = findField(body, 'system')
  return system === undefined ? [] : [{ role: 'system', content: readTexts(system, 'system') }]
}

function readTools(body: JsonObject): { tools: Tool[]; otherTools: JsonObject[] } {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [index, value] of (findList(body, 'tools', 'tools') ?? []).entries()) {
    const path = `tools.${index}`
    const tool = getObject(value, path)
    const type = findText(tool, 'type', path) ?? 'custom'
    if (type === 'custom') tools.push(readTool(tool, `${path}.custom`))
    else otherTools.push(tool)
  }
  return { tools, otherTools }
}

function readTool(tool: JsonObject, path: string): Tool {
  return omitAbsent<Tool>({
    name: getText(tool, 'name', path),
    description: findText(tool, 'description', path),
    parameters: JsonText.of(getObject(findField(tool, 'input_schema'), `${path}.input_schema`)),
    strict: findFlag(tool, 'strict', path),
    extra: findOthers(tool, knownToolFields),
  })
}

function readToolChoice(choice: JsonObject): ToolChoice {
  const type = getText(choice, 'type', 'tool_choice')
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  if (type === 'tool') return { name: getText(choice, 'name', 'tool_choice') }
  return refuseTag('tool_choice', type, ['auto', 'any', 'tool', 'none'])
}

function readParallel(choice: JsonObject): boolean | undefined {
  const isDisabled = findFlag(choice, 'disable_parallel_tool_use', 'tool_choice')
  return isDisabled === undefined ? undefined : !isDisabled
}

function readStop(body: JsonObject): string[] {
  const stop = findList(body, 'stop_sequences', 'stop_sequences') ?? []
  const isTexts = stop.every((item): item is string => typeof item === 'string')
  return isTexts ? stop : refuseType('stop_sequences', 'string')
}

function readReasoning(body: JsonObject): ReasoningOptions | undefined {
  const thinking = findObject(body, 'thinking', 'thinking')
  const effort = readEffort(body)
  if (thinking === undefined) return effort === undefined ? undefined : { effort }
  const type = getText(thinking, 'type', 'thinking')
  if (!thinkingKinds.some(kind => kind === type)) refuseTag('thinking', type, thinkingKinds)
  if (type === 'disabled' || type === 'between_tools') return { effort: 'none' }
  const isHidden = findField(thinking, 'display') === 'omitted' ? true : undefined
  if (type === 'adaptive') return omitAbsent<ReasoningOptions>({ effort, isHidden })
  const path = `thinking.${type}.budget_tokens`
  const maxTokens = findInteger(thinking, 'budget_tokens', minBudget, path) ?? refuseField(path, 'Field required')
  return omitAbsent<ReasoningOptions>({ effort, maxTokens, isHidden })
}

function readEffort(body: JsonObject): ReasoningEffort | undefined {
  const value = findField(findObject(body, 'output_config', 'output_config') ?? {}, 'effort')
  if (value === undefined) return undefined
  const names = efforts.map(effort => `'${effort}'`).join(', ')
  return (
    efforts.find(effort => effort === value) ?? refuseField('output_config.effort', `Input should be one of ${names}`)
  )
}

function readResponseFormat(body: JsonObject): ResponseFormat | undefined {
  const path = 'output_config.format'
  const format = findObject(findObject(body, 'output_config', 'output_config') ?? {}, 'format', path)
  if (format === undefined) return undefined
  const type = getText(format, 'type', path)
  if (type !== 'json_schema') refuseTag(path, type, ['json_schema'])
  const schema = JsonText.of(getObject(findField(format, 'schema'), `${path}.schema`))
  return { type: 'json_schema', name: 'output', schema }
}
