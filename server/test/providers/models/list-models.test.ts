// Lists of models from a scripted upstream: each provider's format, paging and filter, and lists that never end.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { listEndpointModels, listProviderModels } from '../../../src/providers/models/list-models.ts'
import type { ListedModel } from '../../../src/providers/models/model-page.ts'
import { providerRegistry } from '../../../src/providers/registry.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { noClouds } from '../clouds/no-clouds.ts'
import { providerCases } from '../provider-cases.ts'

let upstream: ScriptedUpstream
let outbound: Outbound
beforeAll(async () => {
  upstream = await startUpstream()
  outbound = createOutbound({ allow: parseOutboundAllow(upstream.host), log: { warn: () => undefined } })
})
afterAll(async () => {
  await outbound.close()
  await upstream.close()
})
beforeEach(() => upstream.reset())

type Case = (typeof providerCases)[number]

function list({ provider, basePath }: Pick<Case, 'provider' | 'basePath'>, key: string | null = null) {
  return listProviderModels(
    { outbound, now: Date.now, clouds: noClouds() },
    {
      adapter: providerRegistry[provider].adapter,
      baseUrl: upstream.url + basePath,
      credential: key,
      guard: 'operator',
    },
  )
}

/** Pages by the query of the request: the first, or the one that the page before named. */
function servePages({ list: { path, second, pages, embeddings } }: Case): void {
  if (embeddings !== undefined) upstream.on(`GET ${embeddings.path}`, { body: embeddings.page })
  upstream.on(`GET ${path}`, ({ query }) => {
    const isSecond =
      Object.keys(second).length > 0 && Object.entries(second).every(([key, value]) => query[key] === value)
    return { body: pages[isSecond ? 1 : 0] }
  })
}

describe.each(providerCases)('$provider', providerCase => {
  test('is walked through to its last page, and only what answers chat or makes vectors is kept', async () => {
    servePages(providerCase)
    const { pages, models, embedding, path, query, second, embeddings } = providerCase.list
    const listed = await list(providerCase)
    expect(listed.map(({ model }) => model)).toEqual(models)
    expect(listed.filter(({ surfaces }) => surfaces !== null)).toEqual(
      embedding.map(model => expect.objectContaining({ model, surfaces: ['embeddings'], tools: false })),
    )
    const lists = Map.groupBy(upstream.requests, asked => asked.path)
    expect([...lists.keys()].sort()).toEqual([path, ...(embeddings === undefined ? [] : [embeddings.path])].sort())
    expect(lists.get(path)?.map(asked => asked.query)).toEqual([query, { ...query, ...second }].slice(0, pages.length))
  })

  test('is asked with the platform key where there is one', async () => {
    servePages(providerCase)
    const [name, value] = providerCase.keyHeader
    await list(providerCase, providerCase.key)
    expect(new Set(upstream.requests.map(asked => asked.headers[name]))).toEqual(new Set([value(providerCase.key)]))
    upstream.requests.length = 0
    await list(providerCase)
    expect(upstream.requests[0]?.headers[name]).toBeUndefined()
  })

  test.each([
    { status: 500 },
    { status: 401 },
    { body: 'no json' },
    { body: [] },
    { body: { data: 'no list', models: 'no list' } },
    { hangUp: true as const },
    { status: 302, headers: { location: '/elsewhere' } },
  ])('fails on %o', async answer => {
    upstream.on('*', answer)
    await expect(list(providerCase)).rejects.toThrow('models could not be listed')
  })
})

const details = async (provider: Case['provider']): Promise<ListedModel | undefined> => {
  const providerCase = providerCases.find(candidate => candidate.provider === provider) as Case
  servePages(providerCase)
  return (await list(providerCase))[0]
}

const unsaid = {
  vision: null,
  reasoning: null,
  structuredOutput: null,
  temperature: null,
  surfaces: null,
  status: null,
  prices: null,
}

test('what a list tells of a model is kept, and nothing is made up', async () => {
  expect(await details('openai')).toEqual({
    ...unsaid,
    model: 'gpt-next',
    displayName: null,
    contextWindow: null,
    maxOutputTokens: null,
    streaming: null,
    tools: null,
  })
  expect(await details('anthropic')).toMatchObject({
    displayName: 'Claude Next',
    contextWindow: 300_000,
    maxOutputTokens: 70_000,
    vision: true,
    reasoning: false,
    structuredOutput: null,
  })
  expect(await details('google')).toMatchObject({ contextWindow: 2_000_000, maxOutputTokens: 65_536, reasoning: true })
  expect(await details('mistral')).toMatchObject({ tools: true, vision: false, status: 'deprecated' })
  expect(await details('cohere')).toMatchObject({ contextWindow: 256_000, tools: true, structuredOutput: true })
  expect(await details('openrouter')).toMatchObject({
    displayName: 'Maker: Next 70B',
    vision: true,
    tools: true,
    temperature: true,
    reasoning: false,
    prices: { input: 0.1, output: 0.32, cacheRead: 0.01, cacheWrite: null, reasoning: null, effectiveFrom: null },
  })
})

test('odd entries are left out, odd fields are not known', async () => {
  const data = [
    null,
    7,
    {},
    { id: 9 },
    { id: '' },
    { id: 'a', max_input_tokens: -1, max_tokens: '9', capabilities: 'all', display_name: 3 },
    {
      id: 'b',
      max_input_tokens: 1.5,
      max_tokens: 1e30,
      capabilities: { thinking: true, image_input: { supported: 1 } },
    },
  ]
  upstream.on('*', { body: { data } })
  const models = await list({ provider: 'anthropic', basePath: '/v1' })
  expect(models.map(({ model }) => model)).toEqual(['a', 'b'])
  for (const model of models) {
    expect(model).toMatchObject({ displayName: null, contextWindow: null, maxOutputTokens: null })
    expect(model).toMatchObject({ vision: null, reasoning: null })
  }
})

describe('a list without end', () => {
  test('that leads back to a page already seen', async () => {
    const next: Record<string, string> = { first: 'one', one: 'two', two: 'one' }
    upstream.on('*', ({ query }) => ({ body: { models: [], nextPageToken: next[query['pageToken'] ?? 'first'] } }))
    await expect(list({ provider: 'google', basePath: '' })).rejects.toThrow('pages in a circle')
    expect(upstream.requests).toHaveLength(3)
  })

  test('that always has one page more', async () => {
    upstream.on('*', () => ({ body: { models: [], nextPageToken: String(upstream.requests.length) } }))
    await expect(list({ provider: 'google', basePath: '' })).rejects.toThrow('too many pages')
    expect(upstream.requests).toHaveLength(50)
  })

  test('that holds too many models', async () => {
    const data = Array.from({ length: 20_001 }, (_, index) => ({ id: `m${index}` }))
    upstream.on('*', { body: { data } })
    await expect(list({ provider: 'openai', basePath: '' })).rejects.toThrow('too many models')
  })

  test('whose page has too many values', async () => {
    upstream.on('*', { body: { data: [{ id: 'one', tags: Array.from({ length: 100_001 }, () => '') }] } })
    await expect(list({ provider: 'openai', basePath: '' })).rejects.toThrow('too many values')
  })

  test('that is too large', async () => {
    upstream.on('*', { body: `{"data":[]${' '.repeat(8 * 1024 * 1024)}}` })
    await expect(list({ provider: 'openai', basePath: '' })).rejects.toThrow('too_large')
  })
})

test('a next page is asked for at the same place, whatever the link says', async () => {
  const link = `http://169.254.169.254/latest?offset=2`
  upstream.on('*', ({ query }) => ({ body: { data: [], ...(query['offset'] ? {} : { links: { next: link } }) } }))
  expect(await list({ provider: 'openrouter', basePath: '' }, 'sk-or-v1-0123456789abcdef')).toEqual([])
  const lists = ['/api/v1/models', '/api/v1/embeddings/models']
  expect(upstream.requests.map(asked => asked.path)).toEqual(lists.flatMap(path => [path, path]))
})

describe('an endpoint of the catalog', () => {
  test('is asked without a key, to its last page', async () => {
    upstream.on('GET /some/list', ({ query }) =>
      query['after']
        ? { body: { data: [{ id: 'two' }] } }
        : { body: { data: [{ id: 'one' }], has_more: true, last_id: 'one' } },
    )
    const listed = await listEndpointModels(outbound, `${upstream.url}/some/list`)
    expect(listed.map(({ model }) => model)).toEqual(['one', 'two'])
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) {
      expect(upstream.requests.map(asked => asked.headers[name])).toEqual([undefined, undefined])
    }
  })

  test('is under the rules for private addresses', async () => {
    const strict = createOutbound({ allow: parseOutboundAllow(''), log: { warn: () => undefined } })
    const asked = listEndpointModels(strict, `${upstream.url}/some/list`)
    await expect(asked).rejects.toThrow('blocked')
    await strict.close()
    expect(upstream.requests).toEqual([])
  })
})

const recorded: [string, string, number][] = [
  ['openai/models-list--be6b8d9d', 'gpt-3.5-turbo-16k', 1],
  ['anthropic/models-list--17912b35', 'claude-opus-5', 1],
  ['google/models-list--7ac71aeb', 'gemini-2.5-flash', 36],
  ['openrouter/models-list--88002a3e', 'openai/gpt-5-nano', 1],
]

describeWithSharedData('as recorded', 'fixtures', folder => {
  test.each(recorded)('%s', async (name, model, atLeast) => {
    const { response } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
    upstream.on('*', { body: response.body_text ?? response.body })
    const providerCase = providerCases.find(candidate => candidate.provider === name.split('/')[0]) as Case
    const models = (await list(providerCase)).map(listed => listed.model)
    expect(models).toContain(model)
    expect(models.length).toBeGreaterThanOrEqual(atLeast)
    if (name.startsWith('openai/')) {
      expect(models.filter(listed => /whisper|tts|davinci|babbage|dall-e/.test(listed))).toEqual([])
    }
  })
})
