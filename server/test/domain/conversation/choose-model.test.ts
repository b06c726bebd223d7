import { describe, expect, test } from 'vitest'
import { type ChosenModel, chooseModel } from '../../../src/domain/conversation/choose-model.ts'
import { type ModelSurface, readModelSurfaces } from '../../../src/domain/conversation/model-surfaces.ts'
import { isModelId, parseModelId, providerOfModel } from '../../../src/domain/model-id.ts'

describe('a model ID', () => {
  test.each([
    ['openai/gpt-4o-mini', 'openai', 'gpt-4o-mini'],
    ['openrouter/meta-llama/llama-3.3-70b-instruct:free', 'openrouter', 'meta-llama/llama-3.3-70b-instruct:free'],
    ['openrouter/~openai/gpt-latest', 'openrouter', '~openai/gpt-latest'],
    ['in-house/llama', 'in-house', 'llama'],
  ])('%s', (id, provider, model) => {
    expect(parseModelId(id)).toEqual({ provider, model })
    expect(providerOfModel(id)).toBe(provider)
  })

  test.each([
    '',
    'gpt-4o',
    '/gpt',
    'openai/',
    'OpenAI/gpt',
    'openai/gpt 4',
    'openai/gpt\n',
    '~x/y',
    `a/${'x'.repeat(256)}`,
  ])('%j is none', id => expect(isModelId(id)).toBe(false))
})

const known = new Set([
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'anthropic/claude-sonnet-4-5',
  'openrouter/openai/gpt-4o',
  'openrouter/openrouter/auto',
  'openai/text-embedding-3-small',
])
const embedder = 'openai/text-embedding-3-small'
const four = 'openai/gpt-4o'
const mini = 'openai/gpt-4o-mini'
const claude = 'anthropic/claude-sonnet-4-5'
const tenant = (model: string): ChosenModel => ({
  chosen: true,
  model,
  provider: providerOfModel(model) ?? '',
  keyOwner: 'tenant',
})
const platform = (model: string): ChosenModel => ({ ...tenant(model), keyOwner: 'platform' }) as ChosenModel
const noModel: ChosenModel = { chosen: false, reason: 'model_not_configured' }
const notSupported = (provider: string, model: string | null): ChosenModel => ({
  chosen: false,
  reason: 'model_not_supported',
  provider,
  model,
})
const noKey = (provider: string): ChosenModel => ({ chosen: false, reason: 'provider_not_configured', provider })

interface Row {
  name: string
  surface?: ModelSurface
  configured?: string
  requested?: string
  platformDefault?: string
  allowed?: string[]
  isExact?: boolean
  tenantKeys?: string[]
  platformKeys?: string[]
  expected: ChosenModel
}

const rows: Row[] = [
  {
    name: 'exact: an unknown model is rejected',
    configured: mini,
    requested: 'gpt-99',
    isExact: true,
    tenantKeys: ['openai'],
    expected: { chosen: false, reason: 'model_not_found', model: 'gpt-99' },
  },
  {
    name: 'exact: one that may not be chosen is rejected, before a missing key',
    configured: mini,
    requested: four,
    allowed: [mini],
    isExact: true,
    expected: { chosen: false, reason: 'model_not_found', model: four },
  },
  {
    name: 'exact: the default of the platform may be named',
    requested: 'gpt-4o-mini',
    platformDefault: mini,
    isExact: true,
    platformKeys: ['openai'],
    expected: platform(mini),
  },
  {
    name: 'exact: and no other',
    requested: four,
    platformDefault: mini,
    isExact: true,
    platformKeys: ['openai'],
    expected: { chosen: false, reason: 'model_not_found', model: four },
  },
  { name: 'the configured model', configured: mini, tenantKeys: ['openai'], expected: tenant(mini) },
  {
    name: 'another provider is ignored',
    configured: mini,
    requested: claude,
    tenantKeys: ['openai', 'anthropic'],
    expected: tenant(mini),
  },
  {
    name: 'the same provider is honoured',
    configured: mini,
    requested: four,
    tenantKeys: ['openai'],
    expected: tenant(four),
  },
  {
    name: 'without its prefix too',
    configured: mini,
    requested: 'gpt-4o',
    tenantKeys: ['openai'],
    expected: tenant(four),
  },
  {
    name: 'an unknown model is ignored',
    configured: mini,
    requested: 'openai/gpt-99',
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  {
    name: 'an unknown bare name is ignored',
    configured: mini,
    requested: 'gpt-99',
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  { name: 'an empty name is ignored', configured: mini, requested: '', tenantKeys: ['openai'], expected: tenant(mini) },
  {
    name: 'a bare name of another provider is ignored',
    configured: mini,
    requested: 'claude-sonnet-4-5',
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  {
    name: "OpenRouter's own name of a model is OpenRouter's, not the other provider's",
    configured: 'openrouter/openrouter/auto',
    requested: four,
    tenantKeys: ['openrouter', 'openai'],
    expected: tenant('openrouter/openai/gpt-4o'),
  },
  {
    name: 'openrouter/auto without the prefix',
    configured: 'openrouter/openai/gpt-4o',
    requested: 'openrouter/auto',
    tenantKeys: ['openrouter'],
    expected: tenant('openrouter/openrouter/auto'),
  },
  { name: 'no key', configured: mini, tenantKeys: ['anthropic'], expected: noKey('openai') },
  {
    name: 'no key: the platform key is not for it',
    configured: four,
    platformDefault: mini,
    platformKeys: ['openai'],
    expected: noKey('openai'),
  },
  {
    name: 'the default configured by name',
    configured: mini,
    platformDefault: mini,
    platformKeys: ['openai'],
    expected: platform(mini),
  },
  {
    name: 'another one asked for beside it',
    configured: mini,
    requested: four,
    platformDefault: mini,
    platformKeys: ['openai'],
    expected: noKey('openai'),
  },
  { name: 'the platform default', platformDefault: mini, platformKeys: ['openai'], expected: platform(mini) },
  {
    name: 'the default allows no choice',
    platformDefault: mini,
    requested: four,
    platformKeys: ['openai'],
    expected: platform(mini),
  },
  {
    name: "the tenant's key comes first",
    platformDefault: mini,
    platformKeys: ['openai'],
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  {
    name: "the default on the tenant's key",
    platformDefault: mini,
    requested: four,
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  { name: 'the default without any key', platformDefault: mini, expected: noKey('openai') },
  {
    name: 'one asked for that is not allowed',
    configured: four,
    requested: mini,
    allowed: [four],
    tenantKeys: ['openai'],
    expected: tenant(four),
  },
  {
    name: 'one asked for that is allowed',
    configured: four,
    requested: mini,
    allowed: [mini],
    tenantKeys: ['openai'],
    expected: tenant(mini),
  },
  {
    name: 'an embedding model for chat',
    configured: four,
    requested: embedder,
    tenantKeys: ['openai'],
    expected: notSupported('openai', embedder),
  },
  {
    name: 'a configured embedding model for chat',
    configured: embedder,
    tenantKeys: ['openai'],
    expected: notSupported('openai', embedder),
  },
  {
    name: 'a configured model that is not known',
    configured: 'openai/gpt-99',
    tenantKeys: ['openai'],
    expected: tenant('openai/gpt-99'),
  },
  {
    name: 'an embedding model for embeddings',
    surface: 'embeddings',
    configured: four,
    requested: 'text-embedding-3-small',
    tenantKeys: ['openai'],
    expected: tenant(embedder),
  },
  {
    name: 'embeddings on the default, paid by the tenant',
    surface: 'embeddings',
    platformDefault: four,
    requested: embedder,
    tenantKeys: ['openai'],
    expected: tenant(embedder),
  },
  {
    name: 'embeddings on the default, which its key does not pay',
    surface: 'embeddings',
    platformDefault: four,
    requested: embedder,
    platformKeys: ['openai'],
    expected: noKey('openai'),
  },
  {
    name: 'a chat model for embeddings',
    surface: 'embeddings',
    configured: four,
    requested: mini,
    tenantKeys: ['openai'],
    expected: notSupported('openai', mini),
  },
  {
    name: 'no model for embeddings, whatever is configured',
    surface: 'embeddings',
    configured: embedder,
    tenantKeys: ['openai'],
    expected: notSupported('openai', null),
  },
  {
    name: 'an unknown model for embeddings',
    surface: 'embeddings',
    configured: embedder,
    requested: 'text-embedding-9',
    tenantKeys: ['openai'],
    expected: notSupported('openai', 'text-embedding-9'),
  },
  {
    name: 'an embedding model of another provider',
    surface: 'embeddings',
    configured: claude,
    requested: embedder,
    tenantKeys: ['openai', 'anthropic'],
    expected: notSupported('anthropic', embedder),
  },
  {
    name: 'an embedding model that is not allowed',
    surface: 'embeddings',
    configured: four,
    requested: embedder,
    allowed: [four],
    tenantKeys: ['openai'],
    expected: notSupported('openai', embedder),
  },
  { name: 'nothing configured', expected: noModel },
  { name: 'nothing configured, one asked for', requested: mini, tenantKeys: ['openai'], expected: noModel },
]

describe('the choice of a model', () => {
  test.each(rows)('$name', ({ tenantKeys = [], platformKeys = [], expected, ...row }) => {
    const chosen = chooseModel({
      configured: row.configured ?? null,
      requested: row.requested ?? null,
      platformDefault: row.platformDefault ?? null,
      allowed: row.allowed ?? null,
      surface: row.surface ?? 'chat_completions',
      needsNamedModel: row.surface === 'embeddings',
      clientModel: row.isExact === true ? 'exact' : 'prefer',
      surfacesOf: id => (known.has(id) ? readModelSurfaces(id === embedder ? { surfaces: ['embeddings'] } : {}) : null),
      hasTenantKey: provider => tenantKeys.includes(provider),
      hasPlatformKey: provider => platformKeys.includes(provider),
    })
    expect(chosen).toEqual(expected)
  })
})
