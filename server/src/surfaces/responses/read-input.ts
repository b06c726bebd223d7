// Reads the items of a request's input into the prompt's messages. An invalid field is a 400 that names it; items and
// parts that only OpenAI knows are kept as they are.

import type { AssistantMessage, Content, Message, Part, ToolCall } from '../../domain/conversation/prompt.ts'
import { partsOf } from '../../domain/conversation/prompt.ts'
import { addMembers, type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { findField, findList, findOthers, findText, getObject, getText, refuseField } from '../request-fields.ts'
import { unpackDetails } from './reasoning-items.ts'

const messageFields = new Set(['type', 'role', 'content', 'id', 'status'])
const callFields = new Set(['type', 'call_id', 'name', 'arguments', 'id', 'status'])
const outputFields = new Set(['type', 'call_id', 'output', 'id', 'status', 'name'])
const roles = ['user', 'assistant', 'system', 'developer'] as const

/** Adjacent items of the model become one message, as they were one answer. */
export function readInput(input: string | readonly JsonObject[]): Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const reader = new InputReader()
  for (const [index, item] of input.entries()) reader.take(item, `input[${index}]`)
  return reader.messages
}

class InputReader {
  readonly messages: Message[] = []
  /** The model's message that the next items of the model are added to. */
  #open: AssistantMessage | null = null

  take(item: JsonObject, path: string): void {
    const type = findText(item, 'type', `${path}.type`) ?? (findField(item, 'role') === undefined ? null : 'message')
    switch (type) {
      case 'message':
        this.#takeMessage(item, path)
        break
      case 'function_call':
        this.#model().toolCalls.push(readCall(item, path))
        break
      case 'function_call_output':
        this.#takeResult(item, path)
        break
      case 'reasoning':
        this.#takeReasoning(item, path)
        break
      case 'item_reference':
        refuseField(`${path}.type`, 'must not be item_reference: send the item itself, or previous_response_id')
        break
      case null:
        refuseField(`${path}.type`, 'is required')
        break
      default:
        this.#takeOther(type, item)
    }
  }

  #add(message: Message): void {
    this.#open = null
    this.messages.push(message)
  }

  #model(): AssistantMessage {
    if (this.#open !== null) return this.#open
    const message: AssistantMessage = { role: 'assistant', content: null, toolCalls: [], reasoningDetails: [] }
    this.#add(message)
    this.#open = message
    return message
  }

  #takeMessage(item: JsonObject, path: string): void {
    const role = roles.find(one => one === item['role'])
    if (role === undefined) refuseField(`${path}.role`, `must be one of: ${roles.join(', ')}`)
    const content = readContent(item, 'content', path)
    const extra = findOthers(item, messageFields)
    if (role !== 'assistant') {
      this.#add(omitAbsent<Message>({ role, content, extra }))
      return
    }
    const message = this.#model()
    message.content = message.content === null ? content : joinContent(message.content, content)
    if (extra !== undefined) message.extra = addMembers(message.extra ?? {}, extra)
  }

  #takeResult(item: JsonObject, path: string): void {
    const toolCallId = getText(item, 'call_id', `${path}.call_id`)
    const content = readContent(item, 'output', path)
    this.#add(omitAbsent<Message>({ role: 'tool', toolCallId, content, extra: findOthers(item, outputFields) }))
  }

  #takeReasoning(item: JsonObject, path: string): void {
    // The reasoning precedes what it led to.
    if (this.#open !== null && (this.#open.content !== null || this.#open.toolCalls.length > 0)) this.#open = null
    const said = [...readTexts(item, 'summary', path), ...readTexts(item, 'content', path)].join('\n\n')
    const content = findText(item, 'encrypted_content', `${path}.encrypted_content`)
    const message = this.#model()
    if (content === undefined) {
      // An empty text too: the provider would look for an item that it has not stored.
      message.reasoning = message.reasoning ? `${message.reasoning}\n\n${said}` : said
      return
    }
    const id = findText(item, 'id', `${path}.id`)
    const details = unpackDetails(content, omitAbsent({ id, summary: said === '' ? undefined : said }))
    if (details === null) refuseField(`${path}.encrypted_content`, 'must be what an answer contained')
    for (const detail of details) message.reasoningDetails.push(detail)
  }

  /**
   * An item of a kind that only OpenAI knows: one with a role for instructions is an instruction, an output belongs to
   * the client, all else to the model.
   */
  #takeOther(kind: string, value: JsonObject): void {
    const content: Part[] = [{ type: 'other', kind, value }]
    const role = String(value['role']).toLowerCase()
    if (role === 'system' || role === 'developer') this.#add({ role, content })
    else if (/_output$|_response$/.test(kind)) this.#add({ role: 'user', content })
    else this.#add({ role: 'assistant', content, toolCalls: [], reasoningDetails: [] })
  }
}

/** Adds to the first one's list: a new list for each item would be quadratic. */
function joinContent(content: Content, next: Content): Content {
  const parts = partsOf(content)
  for (const part of partsOf(next)) parts.push(part)
  return parts
}

function readCall(item: JsonObject, path: string): ToolCall {
  return omitAbsent<ToolCall>({
    id: getText(item, 'call_id', `${path}.call_id`),
    name: getText(item, 'name', `${path}.name`),
    arguments: findText(item, 'arguments', `${path}.arguments`) ?? '',
    extra: findOthers(item, callFields),
  })
}

function readTexts(item: JsonObject, name: string, path: string): string[] {
  const parts = findList(item, name, `${path}.${name}`) ?? []
  return parts.map((part, index) => {
    const at = `${path}.${name}[${index}]`
    return getText(getObject(part, at), 'text', `${at}.text`)
  })
}

function readContent(item: JsonObject, name: string, path: string): Content {
  const content = findField(item, name)
  if (content === undefined) refuseField(`${path}.${name}`, 'is required')
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) refuseField(`${path}.${name}`, 'must be a string or an array of parts')
  const parts = content.map((part, index) =>
    readPart(getObject(part, `${path}.${name}[${index}]`), `${path}.${name}[${index}]`),
  )
  const [only] = parts
  // Some providers accept lists only for users.
  return parts.length === 1 && only?.type === 'text' && only.extra === undefined ? only.text : parts
}

const inputTextFields = new Set(['type', 'text'])
const outputTextFields = new Set(['type', 'text', 'annotations', 'logprobs'])
const imageFields = new Set(['type', 'image_url', 'detail', 'file_id'])
const fileFields = new Set(['type', 'file_data', 'file_url', 'file_id', 'filename'])
const audioFields = new Set(['type', 'input_audio'])

function readPart(part: JsonObject, path: string): Part {
  const kind = getText(part, 'type', `${path}.type`)
  switch (kind) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const extra = findOthers(part, kind === 'output_text' ? outputTextFields : inputTextFields)
      return omitAbsent<Part>({ type: 'text', text: getText(part, 'text', `${path}.text`), extra })
    }
    case 'refusal':
      return { type: 'refusal', text: getText(part, 'refusal', `${path}.refusal`) }
    case 'input_image':
      return readImage(part, path)
    case 'input_file':
      return readFile(part, path)
    case 'input_audio': {
      const audio = getObject(part['input_audio'], `${path}.input_audio`)
      return omitAbsent<Part>({
        type: 'audio',
        data: getText(audio, 'data', `${path}.input_audio.data`),
        format: getText(audio, 'format', `${path}.input_audio.format`),
        extra: findOthers(part, audioFields),
      })
    }
    default:
      return { type: 'other', kind, value: part }
  }
}

function readImage(part: JsonObject, path: string): Part {
  const url = findText(part, 'image_url', `${path}.image_url`)
  const fileId = findText(part, 'file_id', `${path}.file_id`)
  // Only OpenAI has the files that OpenAI gave an id.
  if (url === undefined && fileId !== undefined) return { type: 'other', kind: 'input_image', value: part }
  if (url === undefined) refuseField(`${path}.image_url`, 'is required')
  const detail = findText(part, 'detail', `${path}.detail`)
  return omitAbsent<Part>({ type: 'image', url, detail, extra: findOthers(part, imageFields) })
}

function readFile(part: JsonObject, path: string): Part {
  const data = findText(part, 'file_data', `${path}.file_data`) ?? findText(part, 'file_url', `${path}.file_url`)
  const fileId = findText(part, 'file_id', `${path}.file_id`)
  if (data === undefined && fileId === undefined) refuseField(path, 'must have file_data, file_url or file_id')
  const filename = findText(part, 'filename', `${path}.filename`)
  return omitAbsent<Part>({ type: 'file', data, fileId, filename, extra: findOthers(part, fileFields) })
}
