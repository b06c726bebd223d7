// The second stage of reading a request for a response: into a prompt. An invalid field is a 400 that names it. Fields
// that only OpenAI knows are kept; the protocols decide whether a model accepts them.

import type { InferenceRequest } from '../../domain/conversation/inference-request.ts'
import type {
  Message,
  Prompt,
  ReasoningEffort,
  ReasoningOptions,
  ResponseFormat,
  Sampling,
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
  findOthers,
  findSchema,
  findText,
  getText,
  hasTwins,
  refuseField,
} from '../request-fields.ts'
import type { ResponseRequestFrame } from './estimate-request.ts'
import { readInput } from './read-input.ts'
import { readTools } from './read-tools.ts'
import { echoOf } from './response-object.ts'

const knownFieldNames = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'metadata',
  'include',
  'store',
  'previous_response_id',
  'stream',
  'background',
  'conversation',
  'prompt',
  // Dropped: the gateway sets the end user's id for the provider.
  'user',
  'safety_identifier',
] as const
export type KnownResponseField = (typeof knownFieldNames)[number]
const knownFields: ReadonlySet<string> = new Set(knownFieldNames)
const formatFields = new Set(['format'])
const effortFields = new Set(['effort'])
export const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const encryptedReasoning = 'reasoning.encrypted_content'
const textLogprobs = 'message.output_text.logprobs'
export const maxMetadata = 16

/** `bytes` is the body as received, to be passed on; without it, the prompt is rendered. */
export function readRequest(body: ResponseRequestFrame, bytes?: Uint8Array): InferenceRequest {
  refuseUnsupported(body)
  checkMetadata(body)
  const { tools, otherTools, toolChoice, foreignChoice } = readTools(body)
  const text = findObject(body, 'text', 'text') ?? {}
  const reasoning = findObject(body, 'reasoning', 'reasoning') ?? {}
  const include = findList(body, 'include', 'include') ?? []
  const messages = readMessages(body)
  const prompt = omitAbsent<Prompt>({
    format: 'responses',
    source: bytes === undefined || hasTwins(body, knownFields) ? null : { body: bytes, messages },
    messages,
    tools,
    otherTools,
    toolChoice,
    parallelToolCalls: findFlag(body, 'parallel_tool_calls', 'parallel_tool_calls'),
    responseFormat: readFormat(text),
    sampling: readSampling(body),
    maxOutputTokens: body.max_output_tokens ?? undefined,
    stop: [],
    logprobs: readLogprobs(body, include),
    reasoning: readReasoning(reasoning),
    stream: body.stream ?? false,
    includeUsage: true,
    extra: omitAbsent<JsonObject>({
      ...findDistinctOthers(body, knownFields),
      include: findField(body, 'include'),
      metadata: findField(body, 'metadata'),
      text: findOthers(text, formatFields),
      reasoning: findOthers(reasoning, effortFields),
      tool_choice: foreignChoice,
    }),
  })
  const response = {
    wantsStore: findFlag(body, 'store', 'store') ?? true,
    previousId: findText(body, 'previous_response_id', 'previous_response_id') || null,
    echo: echoOf(body),
    sealsReasoning: include.includes(encryptedReasoning),
  }
  return { model: body.model ?? null, prompt, response }
}

function refuseUnsupported(body: JsonObject): void {
  if (findFlag(body, 'background', 'background') === true) {
    refuseField('background', 'is not supported: leave it out and wait for the response, or use stream')
  }
  if (findField(body, 'conversation') !== undefined) {
    refuseField('conversation', 'is not supported: use previous_response_id')
  }
}

function readMessages({ instructions, input }: ResponseRequestFrame): Message[] {
  const said = readInput(input)
  return instructions ? [{ role: 'system', content: instructions }, ...said] : said
}

/** The answer repeats the metadata, and it is stored with the answer. */
function checkMetadata(body: JsonObject): void {
  const entries = Object.entries(findObject(body, 'metadata', 'metadata') ?? {})
  const isSound =
    entries.length <= maxMetadata &&
    entries.every(([name, value]) => name.length <= 64 && typeof value === 'string' && value.length <= 512)
  if (!isSound) refuseField('metadata', `must have at most ${maxMetadata} names of 64 and texts of 512 characters`)
}

function readSampling(body: JsonObject): Sampling {
  return omitAbsent<Sampling>({
    temperature: findNumber(body, 'temperature', [0, 2]),
    topP: findNumber(body, 'top_p', [0, 1]),
  })
}

function readLogprobs(body: JsonObject, include: readonly unknown[]): Prompt['logprobs'] {
  const topCount = findInteger(body, 'top_logprobs', 0, 'top_logprobs')
  return topCount === undefined && !include.includes(textLogprobs) ? undefined : omitAbsent({ topCount })
}

function readReasoning(reasoning: JsonObject): ReasoningOptions | undefined {
  const effort = findField(reasoning, 'effort')
  if (effort === undefined) return undefined
  const known = efforts.find(one => one === effort)
  return known === undefined
    ? refuseField('reasoning.effort', `must be one of: ${efforts.join(', ')}`)
    : { effort: known }
}

function readFormat(text: JsonObject): ResponseFormat | undefined {
  const format = findObject(text, 'format', 'text.format')
  if (format === undefined) return undefined
  const path = 'text.format'
  switch (getText(format, 'type', `${path}.type`)) {
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return omitAbsent<ResponseFormat>({
        type: 'json_schema',
        name: getText(format, 'name', `${path}.name`),
        description: findText(format, 'description', `${path}.description`),
        schema: findSchema(format, 'schema', `${path}.schema`) ?? JsonText.of({}),
        strict: findFlag(format, 'strict', `${path}.strict`),
      })
    default:
      return refuseField(`${path}.type`, 'must be one of: text, json_object, json_schema')
  }
}
