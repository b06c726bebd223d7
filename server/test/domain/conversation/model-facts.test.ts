// The flags of a registry row, and what is not known of a model.

import { expect, it } from 'vitest'
import { readModelFacts, unknownModelFacts } from '../../../src/domain/conversation/model-facts.ts'

const row = {
  capabilities: '{"reasoning":true,"temperature":false,"structuredOutput":null,"status":"deprecated"}',
  context_window: 1000,
  max_output_tokens: 100,
  supports_tool_use: 1,
  supports_vision: 0,
}

it('reads the flags of a row', () => {
  expect(readModelFacts(row)).toEqual({
    reasoning: true,
    temperature: false,
    structuredOutput: null,
    tools: true,
    vision: false,
    maxOutputTokens: 100,
    contextWindow: 1000,
  })
})

it.each(['', 'null', '[]', '{"reasoning":"yes"}'])('knows nothing from %j', capabilities => {
  const empty = { context_window: null, max_output_tokens: null, supports_tool_use: null, supports_vision: null }
  expect(readModelFacts({ ...empty, capabilities })).toEqual(unknownModelFacts)
})
