// Addresses put together of base, version and path: the rows people write, and properties over all bases.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forEachProvider } from '../../src/domain/provider.ts'
import { providerUrl } from '../../src/providers/provider-address.ts'
import { providerRegistry } from '../../src/providers/registry.ts'

const adapters = forEachProvider(provider => providerRegistry[provider].adapter)
const { openai, google, openrouter, cohere } = adapters
const custom = providerRegistry.custom.adapter

test.each([
  [openai, 'https://api.openai.com', 'https://api.openai.com/v1/models'],
  [openai, 'https://api.openai.com/', 'https://api.openai.com/v1/models'],
  [openai, 'https://api.openai.com/v1', 'https://api.openai.com/v1/models'],
  [openai, 'https://api.openai.com/v1/', 'https://api.openai.com/v1/models'],
  [openai, 'https://proxy.example/openai', 'https://proxy.example/openai/v1/models'],
  [openai, 'https://proxy.example:8443/a%20b/v1', 'https://proxy.example:8443/a%20b/v1/models'],
  // Another product behind the same wire format.
  [openai, 'https://open.example/api/paas/v4', 'https://open.example/api/paas/v4/models'],
  // No version, although it begins like one.
  [openai, 'https://proxy.example/v1-proxy', 'https://proxy.example/v1-proxy/v1/models'],
  [google, 'https://g.example', 'https://g.example/v1beta/models?pageSize=1000'],
  [google, 'https://g.example/v1beta', 'https://g.example/v1beta/models?pageSize=1000'],
  [google, 'https://g.example/v1', 'https://g.example/v1/models?pageSize=1000'],
  [openrouter, 'https://openrouter.ai', 'https://openrouter.ai/api/v1/models'],
  [openrouter, 'https://openrouter.ai/api', 'https://openrouter.ai/api/v1/models'],
  [openrouter, 'https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1/models'],
  [openrouter, 'https://proxy.example/v1', 'https://proxy.example/v1/models'],
  // The address of a custom provider is complete, unless it is a host alone.
  [custom, 'http://localhost:11434', 'http://localhost:11434/v1/models'],
  [custom, 'https://api.groq.com/openai/v1', 'https://api.groq.com/openai/v1/models'],
  [custom, 'https://models.example/inference', 'https://models.example/inference/models'],
  [cohere, 'https://api.cohere.com', 'https://api.cohere.com/v1/models?page_size=1000'],
  [cohere, 'https://api.cohere.com/v2', 'https://api.cohere.com/v1/models?page_size=1000'],
  [cohere, 'https://api.cohere.com/v1', 'https://api.cohere.com/v1/models?page_size=1000'],
])('row %#', (adapter, base, expected) => {
  expect(providerUrl(base, adapter.address, adapter.modelList)).toBe(expected)
})

test('a base under the sibling version leads inference to its own', () => {
  expect(providerUrl('https://api.cohere.com/v1', cohere.address, { path: ['chat'] })).toBe(
    'https://api.cohere.com/v2/chat',
  )
})

test.each(['', '.', '..'])('the segment "%s" is none', piece => {
  expect(() => providerUrl('https://api.cohere.com/v1', cohere.address, { path: ['models', piece] })).toThrow('segment')
})

describe('for every base', () => {
  const segment = fc.stringMatching(/^[a-z0-9._~-]{1,12}$/).filter(text => !/^\.{1,2}$|^v[0-9]|^api$/.test(text))
  const base = fc
    .tuple(fc.webAuthority({ withIPv4: true, withPort: true }), fc.array(segment, { maxLength: 4 }), fc.boolean())
    .map(([authority, segments, slash]) => ({
      origin: `https://${authority}`,
      path: segments.map(text => `/${text}`).join(''),
      end: slash ? '/' : '',
    }))
  const adapter = fc.constantFrom(...Object.values(adapters))

  test('the version stands once, whether the base brought it or not', () => {
    fc.assert(
      fc.property(base, adapter, ({ origin, path, end }, { address, keyCheck }) => {
        const version = [address.prefix, address.version].filter(Boolean).join('/')
        const without = providerUrl(`${origin}${path}${end}`, address, keyCheck)
        expect(providerUrl(`${origin}${path}/${version}${end}`, address, keyCheck)).toBe(without)
      }),
    )
  })

  test('origin and path stay, and a piece of the path never becomes more than one segment', () => {
    fc.assert(
      fc.property(base, adapter, fc.string({ minLength: 1 }), ({ origin, path, end }, { address }, piece) => {
        fc.pre(piece.isWellFormed() && !/^\.{1,2}$/.test(piece))
        const url = new URL(providerUrl(`${origin}${path}${end}`, address, { path: ['models', piece] }))
        expect(url.origin).toBe(new URL(origin).origin)
        expect(url.pathname.startsWith(new URL(`${origin}${path}/`).pathname)).toBe(true)
        expect(decodeURIComponent(url.pathname.split('/').at(-1) ?? '')).toBe(piece)
        expect(url.pathname.split('/').at(-2)).toBe('models')
        expect(url.search + url.hash).toBe('')
      }),
    )
  })
})
