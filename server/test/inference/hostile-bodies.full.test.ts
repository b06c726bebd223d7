// Tests that reading, scanning and rendering a request costs time in proportion to its size, for any body and provider:
// all of that runs within one turn of the shared event loop.

import { expect, test } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../src/domain/conversation/model-facts.ts'
import type { Prompt } from '../../src/domain/conversation/prompt.ts'
import { Refusal } from '../../src/domain/errors.ts'
import type { JsonObject } from '../../src/domain/json-object.ts'
import type { Provider } from '../../src/domain/provider.ts'
import { viewJson } from '../../src/guardrails/masking/json-view.ts'
import { replaceTexts, textsOf } from '../../src/guardrails/prompt-texts.ts'
import { collectRuns, textsOfRun } from '../../src/guardrails/sentinel/text-runs.ts'
import { withAnsweredCalls } from '../../src/inference/memory/arrange-messages.ts'
import { estimatePromptTokens } from '../../src/inference/usage/count-tokens.ts'
import { findProtocol } from '../../src/providers/registry.ts'
import { chatCompletionsEndpoint } from '../../src/surfaces/chat-completions/chat-completions.ts'
import { finish } from '../support/finish.ts'
import { readCompletionRequest } from '../surfaces/chat-completions/read-body.ts'
import { hostileBodies } from './hostile-bodies.ts'

const facts: ModelFacts = { ...unknownModelFacts, structuredOutput: true }

function renderFor(provider: Provider, model: string) {
  const target = { model, facts, hasBaseUrlOverride: false, endUserHash: null }
  const protocol = findProtocol({ provider, model }, 'generate', 'chat-completions')
  return (prompt: Prompt) => JSON.stringify(protocol?.render(prompt, target).body)
}

const ways: Record<string, (prompt: Prompt) => unknown> = {
  'an OpenAI request': renderFor('openai', 'gpt-5'),
  'an OpenRouter request': renderFor('openrouter', 'x/y'),
  'a Mistral request': renderFor('mistral', 'mistral-large'),
  'an Anthropic request': renderFor('anthropic', 'claude-sonnet-4-5'),
  'an Anthropic request with instructions between turns': renderFor('anthropic', 'claude-opus-5'),
  'a Gemini request': renderFor('google', 'gemini-3-pro'),
  'a Cohere request': renderFor('cohere', 'command-a'),
  'texts for the guardrails': prompt => {
    const { editable, callArguments, readOnly } = finish(textsOf(prompt))
    const length = [...editable, ...readOnly].reduce((sum, text) => sum + text.length, 0)
    return [length, callArguments.map(call => finish(viewJson(call)))]
  },
  'masked messages': ({ messages }) =>
    replaceTexts(messages, { text: ({ length }) => [{ start: length, end: length, cover: 'x' }], call: () => [] }),
  'texts for Sentinel': ({ messages }) =>
    finish(collectRuns(messages, 'user_and_tools')).map(run => finish(textsOfRun(run))),
  'a remembered conversation': ({ messages }) => [withAnsweredCalls(messages, []), estimatePromptTokens(messages)],
}

/** Large enough to overflow the stack, if anything spreads or recurses over all items. */
const largeBytes = 512 * 1024
const growth = 8
/** Quadratic work would grow by 64; the machine may be busy. */
const maxGrowth = 20
/** Below this, the clock's resolution and garbage collection dominate. */
const unmeasuredMs = 120
const maxMs = 1_500

function copyOf(body: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(body)) as JsonObject
}

function timeOf(work: () => unknown, maxRuns: number, enoughMs = 0): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < maxRuns && best > enoughMs; run++) {
    const before = process.cpuUsage()
    try {
      work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

function expectLinear(name: string, onSmall: () => unknown, onLarge: () => unknown): void {
  const largeMs = timeOf(onLarge, 1)
  if (largeMs < unmeasuredMs) return
  const [best, smallMs] = [Math.min(largeMs, timeOf(onLarge, 5, unmeasuredMs)), timeOf(onSmall, 3)]
  expect(best, name).toBeLessThan(maxMs)
  expect(best, name).toBeLessThan(Math.max(unmeasuredMs, maxGrowth * smallMs))
}

test.each(Object.entries(hostileBodies))('%s cost no more than their size', (_, make) => {
  const [small, large] = [copyOf(make(largeBytes / growth)), copyOf(make(largeBytes))]
  expectLinear(
    'the estimate',
    () => chatCompletionsEndpoint.estimate(small),
    () => chatCompletionsEndpoint.estimate(large),
  )
  expectLinear(
    'the prompt',
    () => readCompletionRequest(small),
    () => readCompletionRequest(large),
  )
  const [{ prompt: smallPrompt }, { prompt: largePrompt }] = [
    readCompletionRequest(small),
    readCompletionRequest(large),
  ]
  for (const [name, way] of Object.entries(ways))
    expectLinear(
      name,
      () => way(smallPrompt),
      () => way(largePrompt),
    )
})
