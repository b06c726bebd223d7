// What a request itself may say beside the prompt that it names: checked before the prompt is written out, so that what
// the project forbids its clients does not hit the project's own prompt.

import { type ClientRules, findInstructionFields, refuseTools } from '../conversation/client-rules.ts'
import { Refusal } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import type { Settings } from '../settings/settings.ts'

/** Where a wire format has its messages, and which fields say nothing that a prompt could decide. */
export interface OwnForm {
  list: string
  free: ReadonlySet<string>
}

/**
 * Throws for what is forbidden. Returns true if the request's instructions must be left out. `written`: the members
 * that the prompt has in the request's format. Clients whose types require a field may repeat its number or text.
 */
export function checkOwnPart(body: JsonObject, rules: Settings, { list, free }: OwnForm, written: JsonObject): boolean {
  const isLocked = rules.client_prompts === 'required'
  if (isLocked || rules.client_tools === 'reject') refuseTools(body)
  const rule = isLocked ? 'reject' : rules.client_system_messages
  if (rule === 'reject') refuseInstructions(body, list)
  if (isLocked) {
    const isOwn = (name: string) => (body[name] ?? null) !== null && body[name] !== written[name]
    const field = Object.keys(body).find(name => !free.has(name) && name !== list && isOwn(name))
    if (field !== undefined) refuseField(field.slice(0, 100).toWellFormed())
  }
  return rule === 'drop'
}

function refuseField(param: string): never {
  throw new Refusal('client_field_rejected', {
    message: `This project does not accept ${param} beside a prompt`,
    param,
  })
}

function refuseInstructions(body: JsonObject, list: string): void {
  const [field] = findInstructionFields(body)
  const items = body[list]
  const at = Array.isArray(items) ? items.findIndex(isInstructionItem) : -1
  if (field === undefined && at === -1) return
  throw new Refusal('client_system_message_rejected', { param: field ?? `${list}[${at}].role` })
}

/** A message, or an item of any kind with such a role. */
export function isInstructionItem(item: unknown): boolean {
  if (!isJsonObject(item)) return false
  const role = String(item['role']).toLowerCase()
  return role === 'system' || role === 'developer'
}

/** The rules for a request with its prompt written out: the prompt's instructions and tools are not the client's. */
export function rulesBesidePrompt(settings: Settings): ClientRules {
  const client_fields = settings.client_prompts === 'required' ? 'known' : settings.client_fields
  return { ...settings, client_tools: 'allow', client_system_messages: 'allow', client_fields }
}
