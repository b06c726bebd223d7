import { describe, expect, test } from 'vitest'
import { readModelSurfaces } from '../../src/domain/conversation/model-surfaces.ts'
import { providerOfModel } from '../../src/domain/model-id.ts'
import { providerSlugs } from '../../src/domain/provider.ts'
import { modelSeedRows, providerSeedRows } from '../../src/storage/model-seed.ts'

describe('the seed of the model registry', () => {
  const rows = modelSeedRows(1000)

  test('has models of all six providers, each once', () => {
    expect(new Set(rows.map(row => row.id)).size).toBe(rows.length)
    expect(new Set(rows.map(row => row.provider_slug))).toEqual(new Set(providerSlugs))
    expect(rows.map(row => row.id)).toEqual(
      expect.arrayContaining(['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4-5']),
    )
    expect(rows.map(row => row.id)).toContain('openrouter/meta-llama/llama-3.3-70b-instruct')
  })

  test.each(rows)('$id is well formed', row => {
    expect(providerOfModel(row.id)).toBe(row.provider_slug)
    expect(row.display_name).not.toBe('')
    for (const size of [row.context_window, row.max_output_tokens]) {
      expect(size === null || (Number.isSafeInteger(size) && size > 0)).toBe(true)
    }
    for (const flag of [row.supports_streaming, row.supports_tool_use, row.supports_vision]) {
      expect([0, 1, null]).toContain(flag)
    }
    const { steps, ...prices } = JSON.parse(row.prices)
    expect(Object.keys(prices)).toEqual(['input', 'output', 'cacheRead', 'cacheWrite'])
    expect(Object.values(prices).filter(price => !isPrice(price))).toEqual([])
    expect(Array.isArray(steps)).toBe(true)
    const capabilities = JSON.parse(row.capabilities)
    expect(Object.keys(capabilities)).toEqual([
      'reasoning',
      'temperature',
      'structuredOutput',
      'chatCompletions',
      'surfaces',
      'status',
    ])
    expect([null, ['embeddings']]).toContainEqual(capabilities.surfaces)
    expect(row).toMatchObject({ source: 'seed', updated_at: 1000 })
  })

  test('has embedding models of every provider that has any, and chat models are not among them', () => {
    const surfacesOf = (row: (typeof rows)[number]) => readModelSurfaces(JSON.parse(row.capabilities))
    const embedding = rows.filter(row => surfacesOf(row).includes('embeddings'))
    expect([...new Set(embedding.map(row => row.provider_slug))].sort()).toEqual([
      'cohere',
      'google',
      'mistral',
      'openai',
      'openrouter',
    ])
    for (const row of embedding) {
      expect(row.id).toMatch(/embed|bge/)
      expect(surfacesOf(row)).toEqual(['embeddings'])
    }
    expect(rows.filter(row => /embed/.test(row.id)).map(row => row.id)).toEqual(
      embedding.filter(row => /embed/.test(row.id)).map(row => row.id),
    )
    const chat = rows.find(({ id }) => id === 'openai/gpt-4o-mini') ?? expect.fail('no such model')
    expect(surfacesOf(chat)).toEqual(['chat_completions', 'responses', 'messages'])
    const pro = rows.find(({ id }) => id === 'openai/gpt-5-codex') ?? expect.fail('no such model')
    expect(surfacesOf(pro)).toEqual(['responses'])
  })

  test('the catalog has six entries', () => {
    let count = 0
    const entries = providerSeedRows(1000, () => `id-${++count}`)
    expect(entries.map(entry => [entry.id, entry.slug, entry.is_active])).toEqual(
      providerSlugs.map((slug, index) => [`id-${index + 1}`, slug, 1]),
    )
    expect(entries.map(entry => entry.display_name)).toContain('OpenAI')
  })
})

function isPrice(price: unknown): boolean {
  return price === null || (typeof price === 'number' && price >= 0)
}
