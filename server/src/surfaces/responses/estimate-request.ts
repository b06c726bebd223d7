// The first stage of reading a request for a response: checks its frame, and estimates its tokens. Separate from the
// second stage, because a gateway that forwards its calls reads no further.

import { maxTokens } from '../../domain/conversation/token-estimate.ts'
import { Refusal } from '../../domain/errors.ts'
import { lengthOfJson } from '../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { Framed } from '../framed-request.ts'
import { refuseField } from '../request-fields.ts'

/** A body whose fields named here are checked. The second stage checks the others. */
export interface ResponseRequestFrame extends JsonObject {
  input: string | readonly JsonObject[]
  instructions?: string | null
  model?: string | null
  stream?: boolean | null
  max_output_tokens?: number | null
}

const defaultOutputTokens = 1_024
const charactersPerToken = 4
/** The tokens of an item besides its text. */
const tokensPerItem = 4
/** The estimate for an image, a sound or a file, since its size in bytes says little about its tokens. */
const tokensPerAttachment = 1_000

export function estimateRequest(body: unknown): Framed<ResponseRequestFrame> {
  if (!isJsonObject(body)) throw new Refusal('invalid_request', { message: 'The request body must be a JSON object' })
  const { input, instructions, model, stream, max_output_tokens: limit } = body
  if (!isAbsent(model) && typeof model !== 'string') refuseField('model', 'must be a string')
  if (!isAbsent(stream) && typeof stream !== 'boolean') refuseField('stream', 'must be a boolean')
  if (!isAbsent(limit) && !(Number.isSafeInteger(limit) && (limit as number) > 0)) {
    refuseField('max_output_tokens', 'must be a positive integer')
  }
  if (!isAbsent(instructions) && typeof instructions !== 'string') refuseField('instructions', 'must be a string')
  if (isAbsent(input)) refuseField('input', 'is required')
  if (typeof input !== 'string' && !(Array.isArray(input) && input.length > 0)) {
    refuseField('input', 'must be a string or an array that is not empty')
  }
  const weight = new Weight()
  if (typeof instructions === 'string') weight.addItem(instructions)
  if (typeof input === 'string') weight.addItem(input)
  else weighItems(weight, input)
  weight.addValue(body['tools'])
  const frame = body as ResponseRequestFrame
  const completion = Math.min(maxTokens, frame.max_output_tokens ?? defaultOutputTokens)
  const estimate = { prompt: weight.tokens(), completion }
  return { frame, estimate: isAbsent(limit) ? { ...estimate, isUnlimited: true } : estimate }
}

class Weight {
  #characters = 0
  #tokens = 0

  addItem(text: string): void {
    this.#tokens += tokensPerItem
    this.addText(text)
  }

  addText(text: string): void {
    this.#characters += text.length
  }

  addValue(value: unknown): void {
    if (value !== undefined) this.#characters += lengthOfJson(value)
  }

  addAttachment(): void {
    this.#tokens += tokensPerAttachment
  }

  tokens(): number {
    return this.#tokens + Math.ceil(this.#characters / charactersPerToken)
  }
}

function weighItems(weight: Weight, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (!isJsonObject(item)) refuseField(`input[${index}]`, 'must be an object')
    addItem(weight, item)
  }
}

function addItem(weight: Weight, item: JsonObject): void {
  weight.addItem('')
  // The text of an item is in one of these; the text of an unknown kind may be anywhere.
  const content = item['content'] ?? item['output'] ?? item['summary']
  const { name, arguments: text } = item
  if (typeof content === 'string') weight.addText(content)
  else if (Array.isArray(content)) {
    for (const part of content) addPart(weight, part)
  } else if (typeof text !== 'string') weight.addValue(item)
  if (typeof text === 'string') weight.addText(text)
  if (typeof name === 'string') weight.addText(name)
}

function addPart(weight: Weight, part: unknown): void {
  const text = isJsonObject(part) ? (part['text'] ?? part['refusal']) : part
  if (typeof text === 'string') weight.addText(text)
  else weight.addAttachment()
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}
