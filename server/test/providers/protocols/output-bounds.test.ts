// Tests that no request to a provider allows a longer output than was reserved for it, thinking included, and that no
// body is passed on whose limits the project has lowered: each surface to each provider.
import { describe, expect, it } from 'vitest'
import { boundEstimate } from '../../../src/domain/conversation/client-rules.ts'
import { isJsonObject, type JsonObject } from '../../../src/domain/json-object.ts'
import type { ProviderSlug } from '../../../src/domain/provider.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { translatePrompt } from '../../../src/providers/protocols/translate-prompt.ts'
import { findProtocol } from '../../../src/providers/registry.ts'
import { chatCompletions } from '../../../src/surfaces/chat-completions/chat-completions.ts'
import { messages } from '../../../src/surfaces/messages/messages.ts'
import { responses } from '../../../src/surfaces/responses/responses.ts'
import type { Surface } from '../../../src/surfaces/surface.ts'
import { testTarget } from './protocol-suite.ts'

const rules = defaultSettings('http://localhost')
const turns = [{ role: 'user', content: 'Hi' }]

/** How a client of each surface limits its output, and how it asks for thinking. */
const surfaces: Record<string, { surface: Surface; body: JsonObject; limit: string }> = {
  chat: { surface: chatCompletions, body: { messages: turns }, limit: 'max_tokens' },
  responses: { surface: responses, body: { input: 'Hi' }, limit: 'max_output_tokens' },
  messages: { surface: messages, body: { messages: turns }, limit: 'max_tokens' },
}
const budgets = [1024, 3000, 16_000]
const efforts = ['low', 'high']
const wishes: Record<string, JsonObject[]> = {
  chat: [
    {},
    ...efforts.map(effort => ({ reasoning_effort: effort })),
    ...budgets.map(max_tokens => ({ reasoning: { max_tokens } })),
  ],
  responses: [{}, ...efforts.map(effort => ({ reasoning: { effort } }))],
  messages: [
    {},
    ...efforts.map(effort => ({ output_config: { effort } })),
    ...budgets.map(budget_tokens => ({ thinking: { type: 'enabled', budget_tokens } })),
  ],
}

/** The providers that take a number of tokens for thinking, and the least that each takes. */
const providers: readonly [ProviderSlug, string, number][] = [
  ['anthropic', 'claude-sonnet-4-5', 1024],
  ['bedrock', 'eu.anthropic.claude-sonnet-4-5-v1:0', 1024],
  ['vertex', 'claude-sonnet-4-5', 1024],
  ['vertex', 'gemini-2.5-flash', 1],
  ['google', 'gemini-2.5-flash-lite', 512],
  ['google', 'gemini-2.5-pro', 128],
  ['cohere', 'command-a-reasoning', 1],
  ['openrouter', 'anthropic/claude-sonnet-4.5', 1024],
  ['openai', 'gpt-5', 1],
  ['azure', 'gpt-5', 1],
  ['mistral', 'magistral', 1],
  ['custom-own', 'any', 1],
]
const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens']
const budgetNames = ['budget_tokens', 'thinkingBudget', 'token_budget']

/** All numbers below one of the names, at any depth; a limit of reasoning is a budget. */
function numbersNamed(value: unknown, names: readonly string[], within = ''): number[] {
  if (Array.isArray(value)) return value.flatMap(item => numbersNamed(item, names))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, held]) => {
    const known = within === 'reasoning' && name === 'max_tokens' ? 'budget_tokens' : name
    return typeof held === 'number' && names.includes(known) ? [held] : numbersNamed(held, names, name)
  })
}

interface Asked {
  surface: Surface
  body: JsonObject
  bound: number | null
}

function send({ surface, body, bound }: Asked, provider: ProviderSlug, model: string) {
  const settings = { ...rules, max_output_tokens: bound }
  const [endpoint] = surface.endpoints
  if (endpoint === undefined) throw new Error('no endpoint')
  const estimated = endpoint.estimate(body, Buffer.from(JSON.stringify(body)))
  const { prompt } = estimated.read(settings)
  const protocol = findProtocol({ provider, model }, 'generate', surface.wireFormat)
  const facts = { ...testTarget().facts, reasoning: true, maxOutputTokens: 64_000 }
  if (protocol === null) throw new Error(`${provider} has no protocol`)
  const { wireFormat } = protocol
  const translated = prompt.format === wireFormat ? prompt : translatePrompt(prompt, wireFormat)
  const request = protocol.render(translated, testTarget({ model, facts }))
  const sent: unknown = request.bytes === undefined ? request.body : JSON.parse(Buffer.from(request.bytes).toString())
  return { sent, prompt, reserved: boundEstimate(estimated.estimate, settings).completion }
}

const bounds = [null, 1, 500, 1025, 3000, 50_000]
const maxima = [undefined, 1, 500, 1025, 3000, 60_000]

describe.each(Object.keys(surfaces))('a request by %s', name => {
  const { surface, body, limit } = surfaces[name] as (typeof surfaces)[string]

  it.each(providers)('allows %s %s no more than was reserved', (provider, model, minBudget) => {
    let cases = 0
    for (const bound of bounds)
      for (const maximum of maxima)
        for (const wish of wishes[name] ?? []) {
          if (maximum === undefined && (bound === null || name === 'messages')) continue
          const asked = { ...body, ...wish, ...(maximum === undefined ? {} : { [limit]: maximum }) }
          // What a client of Anthropic's format divides wrongly itself is Anthropic's to reject.
          const own = isJsonObject(wish['thinking']) ? Number(wish['thinking']['budget_tokens']) : 0
          if (bound === null && own >= Number(maximum)) continue
          const { sent, reserved } = send({ surface, body: asked, bound }, provider, model)
          const limits = numbersNamed(sent, limitNames)
          const label = JSON.stringify({ bound, ...asked, sent })
          expect(limits.length, label).toBeGreaterThan(0)
          expect(Math.max(...limits), label).toBeLessThanOrEqual(Math.min(reserved, bound ?? 64_000))
          for (const budget of numbersNamed(sent, budgetNames).filter(tokens => tokens > 0)) {
            expect(budget, label).toBeGreaterThanOrEqual(minBudget)
            expect(budget, label).toBeLessThan(Math.max(...limits))
          }
          cases++
        }
    expect(cases).toBeGreaterThan(80)
  })

  const foreign = limitNames.filter(field => field !== 'maxTokens' && field !== limit)
  it.each(foreign)('is not passed on as it came if its own %s was lowered', field => {
    const asked = { ...body, [limit]: 40, [field]: 99_999 }
    const provider = name === 'responses' ? 'openai' : 'anthropic'
    const { sent, prompt } = send({ surface, body: asked, bound: 50 }, provider, 'any')
    expect(prompt.source).toBe(null)
    expect(Math.max(...numbersNamed(sent, limitNames))).toBeLessThanOrEqual(50)
  })

  it.each(['models', 'preset'])('is not passed on as it came if its %s was taken away', field => {
    const asked = { ...body, [limit]: 40, [field]: ['x'] }
    const settings = { ...rules, allowed_models: ['openai/gpt-4o'] }
    const prompt = surface.endpoints[0]?.estimate(asked, Buffer.from(JSON.stringify(asked))).read(settings).prompt
    expect(prompt?.source).toBe(null)
    expect(prompt?.extra).not.toHaveProperty(field)
  })
})

describe('thinking under a limit', () => {
  const sentTo = (body: JsonObject, bound: number | null, surface: Surface = chatCompletions) =>
    send({ surface, body: { messages: turns, ...body }, bound }, 'anthropic', 'claude-sonnet-4-5').sent

  it.each([
    [{ reasoning_effort: 'high', max_tokens: 60_000 }, 3000, 3000, 1500],
    [{ reasoning: { max_tokens: 8000 }, max_tokens: 60_000 }, 3000, 3000, 2999],
    [{ reasoning_effort: 'high', max_tokens: 60_000 }, 500, 500, null],
    [{ reasoning_effort: 'high', max_tokens: 3000 }, null, 3000, 1500],
    [{ reasoning_effort: 'high', max_tokens: 60_000 }, null, 60_000, 16_384],
  ])('of %j and a bound of %s', (body, bound, max_tokens, budget_tokens) => {
    const thinking = budget_tokens === null ? undefined : { type: 'enabled', budget_tokens }
    expect(sentTo(body, bound)).toMatchObject({ max_tokens, ...(thinking && { thinking }) })
    if (thinking === undefined) expect(sentTo(body, bound)).not.toHaveProperty('thinking')
  })

  it('is lowered in the body of a client of Messages, which is otherwise passed on', () => {
    const body = { max_tokens: 20_000, thinking: { type: 'enabled', budget_tokens: 16_000 } }
    expect(sentTo(body, 3000, messages)).toMatchObject({ max_tokens: 3000, thinking: { budget_tokens: 2999 } })
    expect(sentTo(body, 1024, messages)).not.toHaveProperty('thinking')
    expect(sentTo(body, 17_000, messages)).toMatchObject({ max_tokens: 17_000, thinking: { budget_tokens: 16_000 } })
  })
})
