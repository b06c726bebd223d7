// What usage costs, to the nano-dollar, by a computation of its own from what each provider counts: on all surfaces,
// whole and streamed; by the registry's prices, by the tenant's, and by what OpenRouter reports.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventStream } from '../../support/simulated/provider-answers.ts'
import { startProduct } from '../../support/start-product.ts'
import { openStage, openStageOfTest, type Stage, type TestProject } from '../inference-stage.ts'
import { makeProjectOf, type ProviderWire, play, scriptKeyChecks, sixWires } from '../six-wires.ts'

/** How many tokens are billed at which price. */
interface Billed {
  input: number
  cached_input?: number
  cache_write?: number
  output: number
  reasoning?: number
}
type Price = keyof Billed
/** In decimal dollars for a million tokens. */
type PriceTexts = Record<Price, string>

interface Counted {
  /** In the provider's words. */
  usage: Record<string, unknown>
  billed: Billed
}

const chatCounts = {
  prompt_tokens: 1_201,
  completion_tokens: 333,
  total_tokens: 1_534,
  prompt_tokens_details: { cached_tokens: 1_024 },
}
const reasoned = { ...chatCounts, completion_tokens_details: { reasoning_tokens: 256 } }

const counted: Record<ProviderWire['provider'], Counted> = {
  openai: { usage: reasoned, billed: { input: 177, cached_input: 1_024, output: 77, reasoning: 256 } },
  anthropic: {
    usage: {
      input_tokens: 17,
      cache_read_input_tokens: 2_048,
      cache_creation_input_tokens: 511,
      output_tokens: 333,
      output_tokens_details: { thinking_tokens: 256 },
    },
    billed: { input: 17, cached_input: 2_048, cache_write: 511, output: 77, reasoning: 256 },
  },
  google: {
    usage: {
      promptTokenCount: 1_201,
      cachedContentTokenCount: 1_024,
      toolUsePromptTokenCount: 31,
      candidatesTokenCount: 77,
      thoughtsTokenCount: 256,
      totalTokenCount: 1_565,
    },
    billed: { input: 208, cached_input: 1_024, output: 77, reasoning: 256 },
  },
  openrouter: {
    usage: {
      ...reasoned,
      prompt_tokens_details: { cached_tokens: 1_024, cache_write_tokens: 100 },
      // Half a nano-dollar, that floating point would round down: a billion times this is 122.49999999999999.
      cost: 1.225e-7,
    },
    billed: { input: 77, cached_input: 1_024, cache_write: 100, output: 77, reasoning: 256 },
  },
  // An amount of unknown unit does not count.
  mistral: { usage: { ...chatCounts, cost: 3_144_000 }, billed: { input: 177, cached_input: 1_024, output: 333 } },
  cohere: {
    // What was billed is not what was processed.
    usage: {
      billed_units: { input_tokens: 7, output_tokens: 21 },
      tokens: { input_tokens: 507, output_tokens: 23 },
      cached_tokens: 504,
    },
    billed: { input: 7, output: 21 },
  },
}

const ownPrices: PriceTexts = {
  input: '1.234567891',
  cached_input: '0.123456789',
  cache_write: '1.543209863',
  output: '9.876543211',
  reasoning: '12.000000007',
}
const numbersOf = (prices: Partial<PriceTexts>) =>
  Object.fromEntries(Object.entries(prices).map(([name, text]) => [name, Number(text)]))

/** Exactly, by the decimal digits of the prices, and rounded once, half up. */
function nanoDollars(billed: Billed, prices: PriceTexts): number {
  let sum = 0n
  for (const [name, tokens] of Object.entries(billed)) {
    const [whole = '', decimals = ''] = prices[name as Price].split('.')
    sum += BigInt(tokens) * BigInt(whole + decimals.padEnd(9, '0'))
  }
  return Number((sum * 2n + 1_000_000n) / 2_000_000n)
}

interface SeedPrices {
  input: number
  output: number
  cacheRead: number | null
  cacheWrite: number | null
}

function registryPrices(model: string): PriceTexts {
  const text = readFileSync(new URL('../../../src/storage/seed/models.json', import.meta.url), 'utf8')
  const { models } = JSON.parse(text) as { models: { id: string; prices: SeedPrices }[] }
  const { prices } = models.find(({ id }) => id === model) ?? expect.fail(`no model ${model}`)
  const { input, output, cacheRead, cacheWrite } = prices
  return {
    input: String(input),
    cached_input: String(cacheRead ?? input),
    cache_write: String(cacheWrite ?? input),
    output: String(output),
    reasoning: String(output),
  }
}

const scene = (usage: Record<string, unknown>) => ({ text: ['Hel', 'lo'], usage })
const messages = [{ role: 'user', content: 'Hello' }]
const surfaces = [
  { endpoint: 'chat_completions', path: '/v1/chat/completions', body: { messages } },
  { endpoint: 'messages', path: '/v1/messages', body: { messages, max_tokens: 1_000 } },
  { endpoint: 'responses', path: '/v1/responses', body: { input: 'Hello' } },
]

/** OpenAI answers this surface in its own format. */
function playResponses(stage: Stage): void {
  const usage = {
    input_tokens: 1_201,
    input_tokens_details: { cached_tokens: 1_024 },
    output_tokens: 333,
    output_tokens_details: { reasoning_tokens: 256 },
    total_tokens: 1_534,
  }
  const output = [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  ]
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output, usage }
  stage.upstream.on('POST /v1/responses', ({ body }) => {
    if (JSON.parse(body).stream !== true) return { body: response }
    const begun = { ...response, status: 'in_progress', output: [], usage: null }
    const events = [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item: { ...output[0], content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'Hello' },
      { type: 'response.output_item.done', output_index: 0, item: output[0] },
      { type: 'response.completed', response },
    ]
    return eventStream(
      events.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`),
    )
  })
}

const post = (project: TestProject, path: string, body: object) => project.ask('POST', path, { body })

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
    scriptKeyChecks(stage)
    playResponses(stage)
  })
  afterAll(() => stage.stop())

  const setPrice = async (tenantId: string, body: object) => {
    const { session } = stage.harness.owner
    const answer = await stage.harness.call('PUT', `/auth/v1/tenants/${tenantId}/prices`, { session, body })
    expect(answer.status, answer.text).toBe(200)
  }
  /** Of each request, in the order of the requests. */
  const costsOf = async (project: TestProject): Promise<number[]> => {
    // The totals also wait for the rows.
    const { body } = await project.ask('GET', '/v1/billing/usage')
    const { totals } = body as { totals: { cost_usd: number } }
    const rows = await stage.harness.query<{ cost: number }>(
      'select cost_nanousd as cost from usage_records where project_id = ? order by created_at',
      [project.id],
    )
    const costs = rows.map(({ cost }) => Number(cost))
    expect(Math.round(totals.cost_usd * 1e9)).toBe(costs.reduce((sum, cost) => sum + cost, 0))
    return costs
  }

  describe.each(sixWires)('$provider', wire => {
    const { usage, billed } = counted[wire.provider]

    test('by the registry, unless the provider reports what it billed', async () => {
      const project = await makeProjectOf(stage, wire)
      play(stage, wire, scene(usage))
      expect((await project.complete()).status).toBe(200)
      await (await project.open()).ended
      const expected = wire.provider === 'openrouter' ? 123 : nanoDollars(billed, registryPrices(wire.model))
      expect(await costsOf(project)).toEqual([expected, expected])
    })

    test('by the prices of the tenant, on every surface, whole and streamed', async () => {
      const project = await makeProjectOf(stage, wire)
      await setPrice(project.tenantId, { model: wire.model, ...numbersOf(ownPrices) })
      play(stage, wire, scene(usage))
      for (const { path, body } of surfaces) {
        for (const stream of [false, true]) {
          const answer = await post(project, path, { ...body, stream })
          expect(answer.status, answer.text).toBe(200)
        }
      }
      const expected = nanoDollars(billed, ownPrices)
      expect(await costsOf(project)).toEqual(Array(6).fill(expected))
      const { body } = await project.ask('GET', '/v1/billing/usage?group_by=endpoint')
      const sums = surfaces.map(({ endpoint }) => ({ endpoint, requests: 2, cost_usd: (2 * expected) / 1e9 }))
      expect(body).toMatchObject({ data: sums.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)) })
    })
  })

  test('a stream that breaks off is charged by a local count', async () => {
    const [wire] = sixWires as [ProviderWire]
    const project = await makeProjectOf(stage, wire)
    await setPrice(project.tenantId, { model: wire.model, input: 1, output: 1_000 })
    for (const call of wire.calls) stage.upstream.on(call, wire.broken())
    await (await project.open()).ended
    const [row] = await stage.harness.query<{ prompt: number; completion: number; cost: number }>(
      `select prompt_tokens as prompt, completion_tokens as completion, cost_nanousd as cost from usage_records
        where project_id = ? and is_estimated = 1`,
      [(await costsOf(project)).length === 1 ? project.id : ''],
    )
    const { prompt, completion, cost } = row ?? expect.fail('no row')
    expect(Number(completion)).toBeGreaterThan(0)
    expect(Number(cost)).toBe(Number(prompt) * 1_000 + Number(completion) * 1_000_000)
  })

  test('vectors cost what their prompt costs', async () => {
    const [wire] = sixWires as [ProviderWire]
    const project = await makeProjectOf(stage, wire)
    const model = 'openai/text-embedding-3-small'
    stage.upstream.on('POST /v1/embeddings', {
      body: { data: [{ index: 0, embedding: [1] }], model: 'm', usage: { prompt_tokens: 1_013, total_tokens: 1_013 } },
    })
    const embed = () => post(project, '/v1/embeddings', { model, input: 'Hello' })
    expect((await embed()).status).toBe(200)
    await setPrice(project.tenantId, { model, input: 0.000_500_001, output: 0 })
    await embed()
    const listed = nanoDollars({ input: 1_013, output: 0 }, registryPrices(model))
    // 1,013 tokens at half a nano-dollar each, and a little more.
    expect(await costsOf(project)).toEqual([listed, 507])
  })

  test('are those of the tenant alone, until it deletes them', async () => {
    const [wire] = sixWires as [ProviderWire]
    const [project, other] = [await makeProjectOf(stage, wire), await makeProjectOf(stage, wire)]
    await setPrice(project.tenantId, { model: wire.model, ...numbersOf(ownPrices) })
    const { usage, billed } = counted.openai
    play(stage, wire, scene(usage))
    await project.complete()
    await other.complete()
    const { call, owner } = stage.harness
    const path = `/auth/v1/tenants/${project.tenantId}/prices?model=${encodeURIComponent(wire.model)}`
    expect((await call('DELETE', path, { session: owner.session })).status).toBe(204)
    await project.complete()
    const listed = nanoDollars(billed, registryPrices(wire.model))
    expect(await costsOf(project)).toEqual([nanoDollars(billed, ownPrices), listed])
    expect(await costsOf(other)).toEqual([listed])
  })

  test('change at the time from which new prices apply', async () => {
    const [wire] = sixWires as [ProviderWire]
    const project = await makeProjectOf(stage, wire)
    const { usage, billed } = counted.openai
    play(stage, wire, scene(usage))
    const dear = { ...ownPrices, output: '99' }
    const price = (prices: PriceTexts, from: number | null) => ({
      model: wire.model,
      ...numbersOf(prices),
      effective_from: from === null ? null : new Date(from).toISOString(),
    })
    await setPrice(project.tenantId, price(ownPrices, null))
    await setPrice(project.tenantId, price({ ...ownPrices, output: '55' }, Date.now() + 3_600_000))
    const begins = Date.now() + 2_000
    await setPrice(project.tenantId, price(dear, begins))
    await project.complete()
    const wasEarly = Date.now() < begins
    await expect
      .poll(async () => {
        await project.complete()
        return (await costsOf(project)).at(-1)
      })
      .toBe(nanoDollars(billed, dear))
    const costs = new Set(await costsOf(project))
    const expected = [nanoDollars(billed, ownPrices), nanoDollars(billed, dear)]
    expect([...costs]).toEqual(wasEarly ? expected : expected.slice(-costs.size))
  })

  test('the registry may list later prices, and other ones for long prompts', async () => {
    const [wire] = sixWires as [ProviderWire]
    const model = 'openai/stepped'
    const steps = [{ above: 1_000, input: 3, output: 4 }]
    const changes = [
      { effectiveFrom: '2999-01-01T00:00:00Z', input: 100, output: 100 },
      { effectiveFrom: '2020-01-01T00:00:00Z', input: 1, cacheRead: 0.1, output: 2, steps },
    ]
    await stage.harness.query(
      `insert into models select ?, provider_slug, display_name, capabilities, context_window, max_output_tokens,
        supports_streaming, supports_tool_use, supports_vision, ?, source, updated_at from models where id = ?
        returning id`,
      [model, JSON.stringify({ input: 50, output: 50, changes }), wire.model],
    )
    await stage.harness.query(
      `insert into revisions (name, revision) values ('models', 1)
        on conflict (name) do update set revision = revisions.revision + 1 returning name`,
    )
    const project = await makeProjectOf(stage, { ...wire, model })
    // Within a second, the product reads the registry anew.
    const costOfNext = async () => {
      await project.complete()
      return (await costsOf(project)).at(-1)
    }
    await expect.poll(costOfNext).toBeGreaterThan(0)
    for (const promptTokens of [1_000, 1_001]) {
      play(
        stage,
        wire,
        scene({ ...chatCounts, prompt_tokens: promptTokens, prompt_tokens_details: { cached_tokens: 10 } }),
      )
      await project.complete()
    }
    const short = nanoDollars(
      { input: 990, cached_input: 10, output: 333 },
      { ...ownPrices, input: '1', cached_input: '0.1', output: '2' },
    )
    const long = nanoDollars(
      { input: 991, cached_input: 10, output: 333 },
      { ...ownPrices, input: '3', cached_input: '0.3', output: '4' },
    )
    expect((await costsOf(project)).slice(-2)).toEqual([short, long])
  })
})

test('a price is live on every replica within a second', async () => {
  const [wire] = sixWires as [ProviderWire]
  // Both replicas are called at their own port, and tokens are of one issuer.
  const stage = await openStageOfTest('postgres', { BASE_URL: 'http://localhost:8080' })
  scriptKeyChecks(stage)
  play(stage, wire, scene(counted.openai.usage))
  const replica = await startProduct({ env: stage.harness.env })
  onTestFinished(async () => void (await replica.stop()))
  const project = await makeProjectOf(stage, wire)
  const complete = async () => {
    const answer = await project.complete({}, { port: replica.port })
    expect(answer.status, answer.text).toBe(200)
  }
  await complete()
  const { call, owner } = stage.harness
  const body = { model: wire.model, ...numbersOf(ownPrices) }
  await call('PUT', `/auth/v1/tenants/${project.tenantId}/prices`, { session: owner.session, body })
  await sleep(1_000)
  await complete()
  const costOfLast = async () => {
    const rows = await stage.harness.query<{ cost: number }>(
      'select cost_nanousd as cost from usage_records where project_id = ? order by created_at',
      [project.id],
    )
    return rows.length === 2 ? Number(rows[1]?.cost) : null
  }
  await expect.poll(costOfLast).toBe(nanoDollars(counted.openai.billed, ownPrices))
})
