// Writes the prompt of a client of the Responses API as a request, adapted to what the model accepts: the client's own
// body with changed members, if nothing else differs. A project's instructions must be among the input items: the
// provider repeats `instructions` in its answer.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'
import type {
  Message,
  Prompt,
  ReasoningEffort,
  ResponseFormat,
  Tool,
  ToolChoice,
} from '../../../domain/conversation/prompt.ts'
import { patchBody } from '../../../domain/json/patch-body.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { jsonInstruction } from '../json-instruction.ts'
import type { Target, UpstreamRequest } from '../protocol.ts'
import { splitInstructions } from '../tool-exchanges.ts'
import { renderItems } from './items.ts'
import { isReasoningReadable } from './reasoning-items.ts'

const encryptedReasoning = 'reasoning.encrypted_content'
const textLogprobs = 'message.output_text.logprobs'

export function renderResponsesRequest(prompt: Prompt, target: Target): UpstreamRequest {
  const request = { path: ['responses'], reading: { jsonTool: null } }
  const bytes = patchSource(prompt, target)
  return bytes === null ? { ...request, body: renderBody(prompt, target) } : { ...request, body: {}, bytes }
}

/** The client's body with changed members; null if that is not enough. */
function patchSource(prompt: Prompt, target: Target): Uint8Array | null {
  const { source, messages, responseFormat } = prompt
  const { facts } = target
  if (source === null || messages !== source.messages) return null
  if (responseFormat?.type === 'json_schema' && facts.structuredOutput === false) return null
  if (!messages.every(isReplayable)) return null
  return patchBody(source.body, { ...imposedFields(prompt, target), ...withheldFields(facts) })
}

function isReplayable(message: Message): boolean {
  return message.role !== 'assistant' || isReasoningReadable(message)
}

/** What the gateway sets whatever the client wrote. An undefined value leaves a field out. */
function imposedFields(prompt: Prompt, { model, facts, endUserHash }: Target): JsonObject {
  return {
    model,
    // The gateway keeps conversations itself, and its ids mean nothing to the provider.
    store: false,
    previous_response_id: undefined,
    conversation: undefined,
    user: undefined,
    safety_identifier: endUserHash ?? undefined,
    include: includedFields(prompt, facts),
    max_output_tokens: limitFor(prompt, facts),
  }
}

/** Fields that the model rejects. */
function withheldFields({ temperature, reasoning }: ModelFacts): JsonObject {
  return {
    ...(temperature === false ? { temperature: undefined, top_p: undefined, top_logprobs: undefined } : {}),
    ...(reasoning === false ? { reasoning: undefined } : {}),
  }
}

/** Without stored items, a reasoning model can only continue its reasoning if the client gets it encrypted. */
function includedFields({ extra }: Prompt, { reasoning, temperature }: ModelFacts): unknown {
  const { include } = extra
  const wanted: readonly unknown[] = Array.isArray(include) ? include : []
  const taken = wanted.filter(
    name => !(name === encryptedReasoning && reasoning === false) && !(name === textLogprobs && temperature === false),
  )
  if (reasoning === true && !taken.includes(encryptedReasoning)) return [...taken, encryptedReasoning]
  return taken.length === 0 ? undefined : taken
}

function renderBody(prompt: Prompt, target: Target): JsonObject {
  const { facts } = target
  const { extra } = prompt
  const hasTools = prompt.tools.length > 0 || prompt.otherTools.length > 0
  return omitAbsent<JsonObject>({
    ...extra,
    input: renderItems(withSchemaHint(prompt, facts)),
    tools: hasTools ? renderTools(prompt) : undefined,
    tool_choice: hasTools ? (choiceOnWire(prompt.toolChoice) ?? extra['tool_choice']) : undefined,
    parallel_tool_calls: hasTools ? prompt.parallelToolCalls : undefined,
    text: joined(extra['text'], { format: renderFormat(prompt.responseFormat, facts) }),
    reasoning: joined(extra['reasoning'], { effort: effortOnWire(prompt.reasoning?.effort) }),
    temperature: prompt.sampling.temperature,
    top_p: prompt.sampling.topP,
    top_logprobs: prompt.logprobs?.topCount,
    stream: prompt.stream ? true : undefined,
    ...imposedFields(prompt, target),
    ...withheldFields(facts),
  })
}

/** The format's own fields of an object whose other fields the prompt has; undefined if there are none. */
function joined(extra: unknown, fields: JsonObject): JsonObject | undefined {
  const whole = omitAbsent<JsonObject>({ ...(isJsonObject(extra) ? extra : {}), ...fields })
  return Object.keys(whole).length === 0 ? undefined : whole
}

function effortOnWire(effort: ReasoningEffort | undefined): string | undefined {
  return effort === 'max' ? 'xhigh' : effort
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

function renderTools({ tools, otherTools }: Prompt): JsonObject[] {
  return [...tools.map(renderTool), ...otherTools]
}

function renderTool({ name, description, parameters, strict, extra }: Tool): JsonObject {
  return omitAbsent<JsonObject>({ ...extra, type: 'function', name, description, parameters, strict })
}

function choiceOnWire(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice
}

function renderFormat(format: ResponseFormat | undefined, facts: ModelFacts): JsonObject | undefined {
  switch (format?.type) {
    case 'json':
      return { type: 'json_object' }
    case 'json_schema': {
      if (facts.structuredOutput === false) return undefined
      const { name, description, schema, strict } = format
      return omitAbsent<JsonObject>({ type: 'json_schema', name, description, schema, strict })
    }
    case 'text':
      return { type: 'text' }
    default:
      return undefined
  }
}

/**
 * A model that does not accept a schema gets an instruction: an answer that usually has the right form is better than
 * none.
 */
function withSchemaHint({ messages, responseFormat }: Prompt, facts: ModelFacts): readonly Message[] {
  if (responseFormat?.type !== 'json_schema' || facts.structuredOutput !== false) return messages
  const { leading, rest } = splitInstructions(messages)
  return [...leading, { role: 'system', content: jsonInstruction(responseFormat) ?? '' }, ...rest]
}
