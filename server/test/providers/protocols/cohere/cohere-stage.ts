// What the tests of requests and of answers of Cohere share.
import type { JsonObject } from '../../../../src/domain/json-object.ts'

export const call = (id: string, args = '{"city":"Rome"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
})

export const counts = {
  billed_units: { input_tokens: 1, output_tokens: 1 },
  tokens: { input_tokens: 7, output_tokens: 3 },
}

export const message = (content: JsonObject, finish_reason: string | null = 'COMPLETE', more: JsonObject = {}) => ({
  id: 'm1',
  message: { role: 'assistant', ...content },
  finish_reason,
  usage: counts,
  ...more,
})
