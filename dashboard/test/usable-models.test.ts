// Which model the first steps propose, and which are versions of a date.
import { expect, test } from 'vitest'
import { isDatedVersion, isLasting, suggestModel, type UsableModel } from '../src/api/usable-models.ts'

const model = (modelId: string) => ({ modelId }) as UsableModel

test('a small model without a date is proposed, the newest first, else the first of the list', () => {
  const ids = ['openai/gpt-3.5-turbo', 'openai/gpt-4o-mini', 'openai/gpt-5-mini', 'openai/gpt-5-mini-2025-08-07']
  expect(suggestModel(ids.map(model))?.modelId).toBe('openai/gpt-5-mini')
  expect(suggestModel([model('custom-a/llama')])?.modelId).toBe('custom-a/llama')
  expect(suggestModel([])).toBeUndefined()
})

test('a date at the end of an id marks a version', () => {
  const ids = ['openai/gpt-4o-2024-08-06', 'anthropic/claude-haiku-4-5-20251001', 'cohere/command-a-03-2025']
  expect(ids.map(id => isDatedVersion(model(id)))).toEqual([true, true, true])
  expect(['openai/gpt-4o-mini', 'anthropic/claude-haiku-4-5'].map(id => isDatedVersion(model(id)))).toEqual([
    false,
    false,
  ])
})

test('neither a dated version nor a deprecated model lasts', () => {
  const models = [
    { modelId: 'openai/gpt-4o', capabilities: {} },
    { modelId: 'openai/gpt-4o-2024-08-06', capabilities: {} },
    { modelId: 'openai/gpt-3.5-turbo', capabilities: { status: 'deprecated' } },
  ] as UsableModel[]
  expect(models.map(isLasting)).toEqual([true, false, false])
})
