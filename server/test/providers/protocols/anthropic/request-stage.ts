// Writes requests for Anthropic, for the tests beside this file.
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { asSent, testTarget } from '../protocol-suite.ts'

export const hi = { role: 'user', content: 'Hi' }
export const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
export const weather = { type: 'function', function: { name: 'weather', parameters } }
export const budget = 'claude-sonnet-4-5'
export const adaptive = 'claude-opus-4-6'
export const always = 'claude-opus-5-5'

export function request(model: string, body: JsonObject, facts: Partial<ModelFacts> = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  return asSent(anthropic.render(prompt, testTarget({ model, facts: { ...unknownModelFacts, ...facts } })))
}

export function written(body: JsonObject, model = budget, facts: Partial<ModelFacts> = {}) {
  return request(model, body, facts).body as JsonObject & { messages: { role: string; content: JsonObject[] }[] }
}

export function call(id: string, args = '{"city":"Rome"}') {
  return { id, type: 'function', function: { name: 'weather', arguments: args } }
}

export function result(id: string, content: unknown = 'Sunny') {
  return { role: 'tool', tool_call_id: id, content }
}

export const said = (text: string) => ({ type: 'text', text })
export const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { city: 'Rome' } })
