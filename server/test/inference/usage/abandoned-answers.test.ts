// Tests what a call costs whose client leaves before the end: at least what its provider is assumed to have generated,
// at most what was reserved, in tokens and money.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { openStage, type Stage } from '../inference-stage.ts'

/** Of gpt-4o-mini, in nano-dollars a token. */
const outputPrice = 600
/** Of `hello`. */
const promptTokens = 6

describe.each(['sqlite', 'postgres'] as const)('an abandoned answer on %s', backend => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
  })
  afterAll(() => stage.stop())

  /** The client leaves so long after the provider was asked, which sends these events at once and nothing more. */
  async function abandon(body: object, afterMs: number, events: readonly string[] = [], settings: object = {}) {
    const project = await stage.makeProject({ settings: { tokens_per_day: 1_000_000, ...settings } })
    const asked = Promise.withResolvers<number>()
    const closed = Promise.withResolvers<number>()
    stage.script({
      write(response) {
        response.once('close', () => closed.resolve(performance.now()))
        asked.resolve(performance.now())
        if (events.length > 0) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events.join(''))
      },
    })
    const begunAt = performance.now()
    const request = await project.begin({ stream: events.length > 0, ...body })
    request.once('response', response => response.resume())
    const askedAt = await asked.promise
    await sleep(afterMs)
    request.socket?.resetAndDestroy()
    const closedAt = await closed.promise
    await expect.poll(() => project.usage()).toMatchObject({ requests: 1 })
    const usage = await project.usage()
    const { body: billed } = await project.ask('GET', '/v1/billing/usage')
    const { cost_usd } = (billed as { totals: { cost_usd: number } }).totals
    return {
      project,
      generated: usage.total_tokens - usage.prompt_tokens,
      prompt: usage.prompt_tokens,
      cost_usd,
      /** How long the provider worked; the gateway's own time is longer, and ends within that of the whole request. */
      workedMs: closedAt - askedAt,
      wholeMs: closedAt - begunAt,
    }
  }

  test.each([
    ['whole', []],
    ['whose stream has only begun', openaiEvents({}).slice(0, 1)],
  ])('%s, costs its prompt and the time that it took', async (_, events) => {
    const { generated, prompt, cost_usd, wholeMs } = await abandon({ max_tokens: 1_000 }, 600, events)
    expect(prompt).toBeGreaterThanOrEqual(promptTokens)
    expect(generated).toBeGreaterThanOrEqual(60)
    expect(generated).toBeLessThanOrEqual(Math.ceil(wholeMs / 10) + 20)
    expect(cost_usd * 1e9).toBeGreaterThanOrEqual(generated * outputPrice)
  })

  test('costs no more than was reserved, also by the limit of the project', async () => {
    expect((await abandon({ max_tokens: 20 }, 600)).generated).toBe(20)
    expect((await abandon({ max_tokens: 1_000 }, 600, [], { max_output_tokens: 30 })).generated).toBe(30)
  })

  test('that the client has begun to read costs what it received', async () => {
    const { generated, workedMs } = await abandon(
      { max_tokens: 1_000 },
      1_500,
      openaiEvents({ text: ['Hello'] }).slice(0, 2),
    )
    expect(generated).toBeGreaterThan(0)
    expect(generated).toBeLessThan(workedMs / 10 - 50)
  })

  test('uses up a quota and a budget as others do', async () => {
    const budgets = [{ usd: 0.00003, period: 'day' }]
    const { project } = await abandon({ max_tokens: 40 }, 600, [], { budgets })
    expect(await project.complete({ max_tokens: 40 })).toMatchObject({
      status: 429,
      body: { error: { code: 'insufficient_quota' } },
    })
    const tokens = await abandon({ max_tokens: 900 }, 600, [], { tokens_per_day: 1_000 })
    stage.script(say('openai', { text: ['Hello'] }, false))
    const { headers } = await tokens.project.complete({ max_tokens: 1 })
    expect(Number(headers['x-ratelimit-remaining-tokens'])).toBeLessThan(1_000 - 60)
  })
})
