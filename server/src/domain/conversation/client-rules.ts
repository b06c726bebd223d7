// Applies what a project allows its clients, whose tokens may be in a browser, to each request as it is read,
// in any wire format. `choose-model.ts` chooses the model.

import { Refusal } from '../errors.ts'
import { foldName } from '../json/fold-name.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../json-object.ts'
import type { Settings } from '../settings/settings.ts'
import { type AssistantMessage, type Content, type Message, type Part, type Prompt, partsOf } from './prompt.ts'
import type { TokenEstimate } from './token-estimate.ts'
import type { WireFormat } from './wire-format.ts'

export type ClientRules = Pick<
  Settings,
  'allowed_models' | 'max_output_tokens' | 'client_system_messages' | 'client_tools' | 'client_fields'
>

// A provider may know a name of another format among a request's unknown fields, and may ignore letter case: the names
// below are compared by `foldName`.

/** The names of the output limit in all wire formats. */
const limitFields: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxoutputtokens',
])
/** The fields for instructions in formats that have them apart from the messages. */
const instructionFields = ['instructions', 'system']
/** The last ones are switches of providers for own tools. */
const toolFields: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'mcp_servers',
  'web_search_options',
  'plugins',
  'search_parameters',
])
/** With these fields, OpenRouter answers with another model than the chosen one. */
const modelFields = ['models', 'preset']

// What the formats name and this product only passes on. Left out is what changes the price, stores something, or
// brings tools, models or prompts of the provider.

/** All of a field, or those of its members. */
type Kept = 'all' | readonly string[]

const caching = { prompt_cache_key: 'all', prompt_cache_retention: 'all', prompt_cache_options: 'all' } as const
const openai = { metadata: 'all', stream_options: ['include_obfuscation'], ...caching } as const

const passedFields: Readonly<Partial<Record<WireFormat, Readonly<Record<string, Kept>>>>> = {
  'chat-completions': {
    ...openai,
    audio: ['voice', 'format'],
    logit_bias: 'all',
    modalities: 'all',
    prediction: ['type', 'content'],
    verbosity: 'all',
  },
  responses: {
    ...openai,
    include: 'all',
    max_tool_calls: 'all',
    reasoning: ['context', 'summary', 'generate_summary'],
    text: ['verbosity'],
    truncation: 'all',
  },
  messages: { cache_control: ['type', 'ttl'] },
}

/** Items and parts that are passed on as they are. */
const passedKinds: Readonly<Partial<Record<WireFormat, ReadonlySet<string>>>> = {
  responses: new Set([
    'apply_patch_call',
    'apply_patch_call_output',
    'code_interpreter_call',
    'compaction',
    'computer_call',
    'computer_call_output',
    'custom_tool_call',
    'custom_tool_call_output',
    'file_search_call',
    'image_generation_call',
    'input_image',
    'local_shell_call',
    'local_shell_call_output',
    'mcp_approval_request',
    'mcp_approval_response',
    'mcp_call',
    'mcp_list_tools',
    'shell_call',
    'shell_call_output',
    'tool_search_call',
    'tool_search_output',
    'web_search_call',
  ]),
  messages: new Set([
    'advisor_tool_result',
    'bash_code_execution_tool_result',
    'code_execution_tool_result',
    'compaction',
    'container_upload',
    'mcp_tool_result',
    'mcp_tool_use',
    'server_tool_use',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
    'web_fetch_tool_result',
    'web_search_tool_result',
  ]),
}

/** Reads the body with `read` and applies the rules. Rejects tools first, before any other error in the body. */
export function readByRules<Request extends { prompt: Prompt }>(
  body: JsonObject,
  rules: ClientRules,
  read: (body: JsonObject) => Request,
): Request {
  if (rules.client_tools === 'reject') refuseTools(body)
  const request = read(body)
  const prompt = applyRules(request.prompt, rules, body)
  return prompt === request.prompt ? request : { ...request, prompt }
}

/** The estimate that is reserved, with the project's limit on the answer, which is set where the request has none. */
export function boundEstimate(
  { prompt, completion, choices = 1, isUnlimited = false }: TokenEstimate,
  { max_output_tokens: limit }: Pick<ClientRules, 'max_output_tokens'>,
): TokenEstimate {
  if (limit === null) return { prompt, completion }
  const bound = limit * choices
  return { prompt, completion: isUnlimited ? bound : Math.min(completion, bound) }
}

function applyRules(asked: Prompt, rules: ClientRules, body: JsonObject): Prompt {
  let prompt = asked
  const { client_system_messages: instructions } = rules
  if (instructions !== 'allow') prompt = withoutInstructions(prompt, instructions, body)
  if (rules.client_fields === 'known') prompt = withoutUnknownFields(withoutUnknownKinds(prompt))
  if (rules.allowed_models !== null) prompt = withoutExtra(prompt, modelFields)
  if (prompt !== asked) prompt = { ...prompt, source: null }
  return rules.max_output_tokens === null ? prompt : withLimit(prompt, rules.max_output_tokens)
}

export function refuseTools(body: JsonObject): void {
  const field = Object.keys(body).find(name => toolFields.has(foldName(name)) && (body[name] ?? null) !== null)
  if (field !== undefined) throw new Refusal('client_tools_rejected', { param: field })
  const { input } = body
  // Some items of a request for a response bring tools.
  const bringsTools = (item: unknown) =>
    isJsonObject(item) && Object.keys(item).some(name => foldName(name) === 'tools' && (item[name] ?? null) !== null)
  if (Array.isArray(input) && input.some(bringsTools)) throw new Refusal('client_tools_rejected', { param: 'input' })
}

export function findInstructionFields(body: JsonObject): string[] {
  return Object.keys(body).filter(name => instructionFields.includes(foldName(name)) && Boolean(body[name]))
}

function withoutInstructions(prompt: Prompt, rule: 'drop' | 'reject', body: JsonObject): Prompt {
  const [field] = findInstructionFields(body)
  const at = prompt.messages.findIndex(isInstruction)
  if (at === -1 && field === undefined) return prompt
  const list = listOf(prompt)
  if (rule === 'reject') {
    throw new Refusal('client_system_message_rejected', {
      param: field ?? (list === 'input' ? list : `messages[${at}].role`),
    })
  }
  const messages = prompt.messages.filter(message => !isInstruction(message))
  if (messages.length > 0) return { ...withoutExtra(prompt, instructionFields), messages }
  throw new Refusal('invalid_request', { message: `${list} must not be empty`, param: list })
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function withLimit(prompt: Prompt, limit: number): Prompt {
  const maxOutputTokens = Math.min(prompt.maxOutputTokens ?? limit, limit)
  const lowered = Object.keys(prompt.extra)
    .filter(name => limitFields.has(foldName(name)))
    .map(name => [name, lower(prompt.extra[name], limit)] as const)
    .filter(([name, value]) => value !== prompt.extra[name])
  const holdsThinking = (prompt.reasoning?.maxTokens ?? 0) < maxOutputTokens
  return {
    ...prompt,
    maxOutputTokens,
    // Protocols that pass the body on write the limit of their format into it; anything else has to be rendered.
    source: lowered.length === 0 && holdsThinking ? prompt.source : null,
    extra: lowered.length === 0 ? prompt.extra : { ...prompt.extra, ...Object.fromEntries(lowered) },
  }
}

/** Replaces anything but a number of tokens by the limit, so that no provider has to interpret it. */
function lower(value: unknown, limit: number): number {
  return typeof value === 'number' && value >= 1 && value <= limit ? value : limit
}

function withoutExtra(prompt: Prompt, names: readonly string[]): Prompt {
  const given = Object.entries(prompt.extra)
  const kept = given.filter(([name]) => !names.includes(foldName(name)))
  if (kept.length === given.length) return prompt
  return { ...prompt, extra: Object.fromEntries(kept) }
}

/** Keeps the fields that are known, even in a form that only one provider knows. */
export function withoutUnknownFields(prompt: Prompt): Prompt {
  return {
    ...prompt,
    messages: prompt.messages.map(withoutUnknownOfMessage),
    tools: prompt.tools.map(withoutOwnExtra),
    extra: knownExtra(prompt),
  }
}

/** Messages that had nothing else are left out. */
function withoutUnknownKinds(prompt: Prompt): Prompt {
  const isUnknown = (part: Part) => part.type === 'other' && !isKnownKind(prompt.format, part.kind)
  const hasUnknown = ({ content }: Message) => Array.isArray(content) && content.some(isUnknown)
  if (!prompt.messages.some(hasUnknown)) return prompt
  const messages = prompt.messages.flatMap((message): Message[] => {
    if (!hasUnknown(message)) return [message]
    const content = partsOf(message.content).filter(part => !isUnknown(part))
    const isEmpty = content.length === 0 && !(message.role === 'assistant' && hasOthers(message))
    return isEmpty ? [] : [{ ...message, content }]
  })
  if (messages.length > 0) return { ...prompt, messages }
  const list = listOf(prompt)
  throw new Refusal('invalid_request', { message: `${list} must not be empty`, param: list })
}

function hasOthers({ toolCalls, refusal, reasoningDetails }: AssistantMessage): boolean {
  return toolCalls.length > 0 || refusal !== undefined || reasoningDetails.length > 0
}

function listOf({ format }: Prompt): 'input' | 'messages' {
  return format === 'responses' ? 'input' : 'messages'
}

/** Keeps of a message of another format what all formats know. */
export function withoutForeignContent(message: Message): Message {
  const known = withoutUnknownOfMessage(message)
  if (!Array.isArray(known.content)) return known
  return { ...known, content: known.content.filter(({ type }) => type !== 'other') }
}

function knownExtra({ format, extra }: Prompt): JsonObject {
  const { tool_choice } = extra
  const choice = isJsonObject(tool_choice) ? tool_choice : undefined
  return omitAbsent({ tool_choice: choice, ...keepKnownFields(format, extra) })
}

function withoutUnknownOfMessage(message: Message): Message {
  const known = withoutOwnExtra(message)
  if (known.role !== 'assistant') return { ...known, content: withoutUnknownOfContent(known.content) }
  const { content, toolCalls } = known satisfies AssistantMessage
  return {
    ...known,
    content: content === null ? null : withoutUnknownOfContent(content),
    toolCalls: toolCalls.map(withoutOwnExtra),
  }
}

function withoutUnknownOfContent<Held extends Content>(content: Held): Held | Part[] {
  return typeof content === 'string' ? content : content.map(withoutOwnExtra)
}

function withoutOwnExtra<T extends object>(held: T): T {
  if (!Object.hasOwn(held, 'extra')) return held
  const { extra: _, ...known } = held as T & { extra?: unknown }
  return known as T
}

function isKnownKind(format: WireFormat, kind: string): boolean {
  return passedKinds[format]?.has(kind) === true
}

/** The fields of `extra` that the format names. */
function keepKnownFields(format: WireFormat, extra: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const [name, members] of Object.entries(passedFields[format] ?? {})) {
    const value = extra[name]
    if (value === undefined) continue
    if (members === 'all') kept[name] = value
    else if (isJsonObject(value)) {
      const known = Object.entries(value).filter(([member]) => members.includes(member))
      if (known.length > 0) kept[name] = Object.fromEntries(known)
    }
  }
  return kept
}
