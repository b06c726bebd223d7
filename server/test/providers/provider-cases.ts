// What the tests know of each provider, written down apart from the adapters: where it is asked, how a key is shown,
// what a list and a refusal look like there. Small samples of our own, in the provider's shapes.
import type { Provider } from '../../src/domain/provider.ts'

interface ProviderCase {
  provider: Provider
  /** Of the right shape. */
  key: string
  /** The variable's default ends so. */
  basePath: string
  keyHeader: [name: string, value: (key: string) => string]
  keyCheck: { path: string; query: Record<string, string> }
  refused: { status: number; body: unknown }
  list: {
    path: string
    query: Record<string, string>
    /** The query of the second page's request, added to the first one's. */
    second: Record<string, string>
    pages: unknown[]
    /** A list of embedding models of its own, on one page. */
    embeddings?: { path: string; page: unknown }
    /** In the order of the list. */
    models: string[]
    /** Those of the models that make vectors and do not answer chat. */
    embedding: string[]
  }
}

const bearer: ProviderCase['keyHeader'] = ['authorization', key => `Bearer ${key}`]

export const providerCases: ProviderCase[] = [
  {
    provider: 'openai',
    key: 'sk-proj-0123456789abcdefABCDEF',
    basePath: '/v1',
    keyHeader: bearer,
    keyCheck: { path: '/v1/models', query: {} },
    refused: {
      status: 401,
      body: {
        error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
      },
    },
    list: {
      path: '/v1/models',
      query: {},
      second: { after: 'gpt-next' },
      pages: [
        {
          object: 'list',
          data: ['gpt-next', 'text-embedding-3-small', 'whisper-1', 'gpt-next'].map(id => ({ id, object: 'model' })),
          has_more: true,
          last_id: 'gpt-next',
        },
        { object: 'list', data: ['o9-mini', 'tts-1-hd', 'gpt-image-1'].map(id => ({ id, object: 'model' })) },
      ],
      models: ['gpt-next', 'text-embedding-3-small', 'o9-mini'],
      embedding: ['text-embedding-3-small'],
    },
  },
  {
    provider: 'anthropic',
    key: 'sk-ant-api03-0123456789abcdef',
    basePath: '/v1',
    keyHeader: ['x-api-key', key => key],
    keyCheck: { path: '/v1/models', query: { limit: '1' } },
    refused: { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid' } } },
    list: {
      path: '/v1/models',
      query: { limit: '1000' },
      second: { after_id: 'claude-next' },
      pages: [
        {
          data: [
            {
              type: 'model',
              id: 'claude-next',
              display_name: 'Claude Next',
              max_input_tokens: 300_000,
              max_tokens: 70_000,
              capabilities: { image_input: { supported: true }, thinking: { supported: false } },
            },
          ],
          has_more: true,
          first_id: 'claude-next',
          last_id: 'claude-next',
        },
        { data: [{ type: 'model', id: 'claude-last' }], has_more: false, last_id: 'claude-last' },
      ],
      models: ['claude-next', 'claude-last'],
      embedding: [],
    },
  },
  {
    provider: 'google',
    key: 'AQ.0123456789abcdefABCDEF',
    basePath: '/v1beta',
    keyHeader: ['x-goog-api-key', key => key],
    keyCheck: { path: '/v1beta/models', query: { pageSize: '1' } },
    refused: {
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } },
    },
    list: {
      path: '/v1beta/models',
      query: { pageSize: '1000' },
      second: { pageToken: 'token/2' },
      pages: [
        {
          models: [
            {
              name: 'models/gemini-next',
              displayName: 'Gemini Next',
              inputTokenLimit: 2_000_000,
              outputTokenLimit: 65_536,
              supportedGenerationMethods: ['generateContent', 'countTokens'],
              thinking: true,
            },
            { name: 'models/embedding-9', supportedGenerationMethods: ['embedContent'] },
            { name: 'models/imagen-9', supportedGenerationMethods: ['predict'] },
          ],
          nextPageToken: 'token/2',
        },
        { models: [{ name: 'models/gemini-last', supportedGenerationMethods: ['generateContent'] }] },
      ],
      models: ['gemini-next', 'embedding-9', 'gemini-last'],
      embedding: ['embedding-9'],
    },
  },
  {
    provider: 'openrouter',
    key: 'sk-or-v1-0123456789abcdef',
    basePath: '/api/v1',
    keyHeader: bearer,
    keyCheck: { path: '/api/v1/key', query: {} },
    refused: { status: 401, body: { error: { message: 'No auth credentials found', code: 401 } } },
    list: {
      path: '/api/v1/models',
      query: {},
      second: { offset: '2' },
      pages: [
        {
          data: [
            {
              id: 'maker/next-70b',
              name: 'Maker: Next 70B',
              context_length: 131_072,
              architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
              pricing: { prompt: '0.0000001', completion: '0.00000032', input_cache_read: '0.00000001' },
              top_provider: { max_completion_tokens: 16_384 },
              supported_parameters: ['tools', 'temperature', 'structured_outputs'],
            },
            { id: 'maker/painter', architecture: { output_modalities: ['image'] } },
          ],
          links: { next: 'https://openrouter.ai/api/v1/models?offset=2' },
        },
        { data: [{ id: 'maker/last', pricing: { prompt: '-1', completion: '-1' } }], links: { next: null } },
      ],
      embeddings: {
        path: '/api/v1/embeddings/models',
        page: {
          data: [
            { id: 'maker/vectors', name: 'Maker: Vectors', context_length: 8_192, pricing: { prompt: '0.00000002' } },
            { id: 'maker/last' },
          ],
        },
      },
      models: ['maker/next-70b', 'maker/last', 'maker/vectors'],
      embedding: ['maker/vectors'],
    },
  },
  {
    provider: 'mistral',
    key: '0123456789abcdefghijABCDEFGHIJkl',
    basePath: '/v1',
    keyHeader: bearer,
    keyCheck: { path: '/v1/models', query: {} },
    refused: { status: 401, body: { detail: 'Invalid API Key' } },
    list: {
      path: '/v1/models',
      query: {},
      second: {},
      pages: [
        {
          object: 'list',
          data: [
            {
              id: 'mistral-next-2612',
              aliases: ['mistral-next-latest'],
              max_context_length: 262_144,
              capabilities: { completion_chat: true, function_calling: true, vision: false },
              deprecation: '2027-01-01T00:00:00Z',
            },
            { id: 'mistral-next-latest', aliases: ['mistral-next-2612'], capabilities: { completion_chat: true } },
            { id: 'mistral-embed', max_context_length: 8_192, capabilities: { completion_chat: false } },
            { id: 'mistral-ocr-latest', capabilities: { completion_chat: false } },
          ],
        },
      ],
      models: ['mistral-next-2612', 'mistral-embed'],
      embedding: ['mistral-embed'],
    },
  },
  {
    provider: 'cohere',
    key: '0123456789abcdefghij0123456789ABCDEFGHIJ',
    basePath: '/v2',
    keyHeader: bearer,
    keyCheck: { path: '/v1/models', query: { page_size: '1' } },
    refused: { status: 401, body: { message: 'invalid api token' } },
    list: {
      path: '/v1/models',
      query: { page_size: '1000' },
      second: { page_token: 'next+page' },
      pages: [
        {
          models: [
            { name: 'command-next', context_length: 256_000, endpoints: ['chat'], features: ['tools', 'json_schema'] },
            { name: 'rerank-next', endpoints: ['rerank'] },
            { name: 'embed-next', context_length: 512, endpoints: ['embed', 'classify'] },
          ],
          next_page_token: 'next+page',
        },
        { models: [{ name: 'command-old', endpoints: ['chat'], is_deprecated: true }] },
      ],
      models: ['command-next', 'embed-next', 'command-old'],
      embedding: ['embed-next'],
    },
  },
]
