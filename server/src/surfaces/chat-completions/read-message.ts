// Reads one message of an OpenAI request into the prompt's own form. An invalid field is a 400 that names it; parts and
// fields that only some provider knows are kept as they are.

import type {
  AssistantMessage,
  Content,
  Message,
  Part,
  ReasoningDetail,
  ToolCall,
} from '../../domain/conversation/prompt.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import {
  findDistinctOthers,
  findField,
  findList,
  findObject,
  findText,
  getObject,
  getText,
  refuseField,
} from '../request-fields.ts'
import type { MessageFrame } from './estimate-request.ts'

const knownOfAll = ['role', 'content', 'name']
const knownFields = new Set(knownOfAll)
const knownToolFields = new Set([...knownOfAll, 'tool_call_id'])
const knownAssistantFields = new Set([
  ...knownOfAll,
  'tool_calls',
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
])
const knownCallFields = new Set(['id', 'type', 'function', 'index', 'extra_content'])

export function readMessage(message: MessageFrame, path: string): Message {
  const { role } = message
  const name = findText(message, 'name', `${path}.name`)
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const content = getContent(message, path)
      const fields = { content, name, extra: findDistinctOthers(message, knownFields) }
      return role === 'user' ? omitAbsent({ role, ...fields }) : omitAbsent({ role, ...fields })
    }
    case 'assistant':
      return readAssistant(message, path, name)
    case 'tool':
      return omitAbsent({
        role,
        toolCallId: getText(message, 'tool_call_id', `${path}.tool_call_id`),
        content: findContent(message, path) ?? '',
        name,
        extra: findDistinctOthers(message, knownToolFields),
      })
    case 'function':
      return refuseField(`${path}.role`, 'must not be function: use tools and the role tool')
  }
}

function readAssistant(message: MessageFrame, path: string, name: string | undefined): AssistantMessage {
  if (findField(message, 'function_call') !== undefined) {
    refuseField(`${path}.function_call`, 'is not supported: use tool_calls')
  }
  const calls = findList(message, 'tool_calls', `${path}.tool_calls`) ?? []
  const details = findList(message, 'reasoning_details', `${path}.reasoning_details`) ?? []
  return omitAbsent<AssistantMessage>({
    role: 'assistant',
    content: findContent(message, path) ?? null,
    name,
    toolCalls: calls.map((call, index) => readToolCall(call, `${path}.tool_calls[${index}]`)),
    refusal: findText(message, 'refusal', `${path}.refusal`),
    reasoning:
      findText(message, 'reasoning_content', `${path}.reasoning_content`) ??
      findText(message, 'reasoning', `${path}.reasoning`),
    reasoningDetails: details.map((detail, index) => readDetail(detail, `${path}.reasoning_details[${index}]`)),
    extra: findDistinctOthers(message, knownAssistantFields),
  })
}

function readToolCall(value: unknown, path: string): ToolCall {
  const call = getObject(value, path)
  const called = getObject(call['function'], `${path}.function`)
  const google = findObject(findObject(call, 'extra_content', `${path}.extra_content`) ?? {}, 'google', path) ?? {}
  return omitAbsent<ToolCall>({
    id: getText(call, 'id', `${path}.id`),
    name: getText(called, 'name', `${path}.function.name`),
    arguments: findText(called, 'arguments', `${path}.function.arguments`) ?? '',
    signature: findText(google, 'thought_signature', `${path}.extra_content.google.thought_signature`),
    extra: findDistinctOthers(call, knownCallFields),
  })
}

function readDetail(value: unknown, path: string): ReasoningDetail {
  const detail = getObject(value, path)
  return { ...detail, type: getText(detail, 'type', `${path}.type`) }
}

function getContent(message: MessageFrame, path: string): Content {
  return findContent(message, path) ?? refuseField(`${path}.content`, 'is required')
}

function findContent({ content }: MessageFrame, path: string): Content | undefined {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return content
  return content.map((part, index) => readPart(part, `${path}.content[${index}]`))
}

const textFields = new Set(['type', 'text'])
const imageFields = new Set(['type', 'image_url'])
const fileFields = new Set(['type', 'file'])
const audioFields = new Set(['type', 'input_audio'])

function readPart(value: unknown, path: string): Part {
  if (typeof value === 'string') return { type: 'text', text: value }
  const part = getObject(value, path)
  const kind = getText(part, 'type', `${path}.type`)
  switch (kind) {
    case 'text':
      return omitAbsent<Part>({
        type: 'text',
        text: getText(part, 'text', `${path}.text`),
        extra: findDistinctOthers(part, textFields),
      })
    case 'image_url':
      return readImage(part, `${path}.image_url`)
    case 'file':
      return readFile(part, `${path}.file`)
    case 'input_audio': {
      const audio = getObject(part['input_audio'], `${path}.input_audio`)
      return omitAbsent<Part>({
        type: 'audio',
        data: getText(audio, 'data', `${path}.input_audio.data`),
        format: getText(audio, 'format', `${path}.input_audio.format`),
        extra: findDistinctOthers(part, audioFields),
      })
    }
    case 'refusal':
      return { type: 'refusal', text: getText(part, 'refusal', `${path}.refusal`) }
    default:
      return { type: 'other', kind, value: part }
  }
}

function readImage(part: JsonObject, path: string): Part {
  const extra = findDistinctOthers(part, imageFields)
  const image = part['image_url']
  if (typeof image === 'string') return omitAbsent<Part>({ type: 'image', url: image, extra })
  if (!isJsonObject(image)) refuseField(path, 'must be an object')
  return omitAbsent<Part>({
    type: 'image',
    url: getText(image, 'url', `${path}.url`),
    detail: findText(image, 'detail', `${path}.detail`),
    extra,
  })
}

function readFile(part: JsonObject, path: string): Part {
  const file = getObject(part['file'], path)
  const data = findText(file, 'file_data', `${path}.file_data`)
  const fileId = findText(file, 'file_id', `${path}.file_id`)
  if (data === undefined && fileId === undefined) refuseField(path, 'must have file_data or file_id')
  const filename = findText(file, 'filename', `${path}.filename`)
  return omitAbsent<Part>({ type: 'file', data, fileId, filename, extra: findDistinctOthers(part, fileFields) })
}
