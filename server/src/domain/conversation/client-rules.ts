// What a project lets its clients ask for, whose tokens may lie in a browser: applied to each request as it is read,
// whatever wire format it came in. Which model answers is choose-model.ts's.

import { Refusal } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import type { Settings } from '../settings/settings.ts'
import type { AssistantMessage, Content, Message, Part, Prompt } from './prompt.ts'
import type { TokenEstimate } from './token-estimate.ts'

export type ClientRules = Pick<
  Settings,
  'allowed_models' | 'max_output_tokens' | 'client_system_messages' | 'client_tools' | 'client_fields'
>

/** The names that wire formats have for it, which some provider may know among a request's unknown fields. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens']
const toolFields = ['tools', 'tool_choice', 'functions', 'function_call']
/** By these OpenRouter answers with another model than the one that was chosen. */
const modelFields = ['models', 'preset']

/** Reads the body with `read`, and applies the rules. Tools are rejected first, whatever else is wrong with the body. */
export function readByRules<Request extends { prompt: Prompt }>(
  body: JsonObject,
  rules: ClientRules,
  read: (body: JsonObject) => Request,
): Request {
  if (rules.client_tools === 'reject') refuseTools(body)
  const request = read(body)
  const prompt = applyRules(request.prompt, rules)
  return prompt === request.prompt ? request : { ...request, prompt }
}

/** What an admission reserves for the answer at most. */
export function boundEstimate(
  { prompt, completion, choices = 1 }: TokenEstimate,
  { max_output_tokens: limit }: Pick<ClientRules, 'max_output_tokens'>,
): TokenEstimate {
  return { prompt, completion: limit === null ? completion : Math.min(completion, limit * choices) }
}

function applyRules(asked: Prompt, rules: ClientRules): Prompt {
  let prompt = asked
  const { client_system_messages: instructions } = rules
  if (instructions !== 'allow') prompt = withoutInstructions(prompt, instructions)
  if (rules.client_fields === 'known') prompt = withoutUnknownFields(prompt)
  if (rules.allowed_models !== null) prompt = withoutExtra(prompt, modelFields)
  return rules.max_output_tokens === null ? prompt : withLimit(prompt, rules.max_output_tokens)
}

function refuseTools(body: JsonObject): void {
  const field = toolFields.find(name => (body[name] ?? null) !== null)
  if (field !== undefined) throw new Refusal('client_tools_rejected', { param: field })
}

function withoutInstructions(prompt: Prompt, rule: 'drop' | 'reject'): Prompt {
  const at = prompt.messages.findIndex(isInstruction)
  if (at === -1) return prompt
  if (rule === 'reject') throw new Refusal('client_system_message_rejected', { param: `messages[${at}].role` })
  const messages = prompt.messages.filter(message => !isInstruction(message))
  if (messages.length > 0) return { ...prompt, messages }
  throw new Refusal('invalid_request', { message: 'messages must not be empty', param: 'messages' })
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function withLimit(prompt: Prompt, limit: number): Prompt {
  const lowered = limitFields
    .filter(name => Object.hasOwn(prompt.extra, name))
    .map(name => [name, lower(prompt.extra[name], limit)])
  return {
    ...prompt,
    maxOutputTokens: Math.min(prompt.maxOutputTokens ?? limit, limit),
    extra: lowered.length === 0 ? prompt.extra : { ...prompt.extra, ...Object.fromEntries(lowered) },
  }
}

/** What is no number of tokens is for no provider to interpret. */
function lower(value: unknown, limit: number): number {
  return typeof value === 'number' && value >= 1 && value <= limit ? value : limit
}

function withoutExtra(prompt: Prompt, names: readonly string[]): Prompt {
  if (!names.some(name => Object.hasOwn(prompt.extra, name))) return prompt
  const kept = Object.entries(prompt.extra).filter(([name]) => !names.includes(name))
  return { ...prompt, extra: Object.fromEntries(kept) }
}

/** `tool_choice` is a known field, also where its form is one of a provider alone. */
function withoutUnknownFields(prompt: Prompt): Prompt {
  const { tool_choice } = prompt.extra
  return {
    ...prompt,
    messages: prompt.messages.map(withoutUnknownOfMessage),
    tools: prompt.tools.map(withoutOwnExtra),
    extra: isJsonObject(tool_choice) ? { tool_choice } : {},
  }
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
