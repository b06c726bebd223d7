// What every provider answers to a plain question, cut into the pieces of its stream, for tests that damage answers: the
// six with wires of their own, custom servers and the three clouds. Imports no source file.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventFrame, exceptionFrame } from '../support/simulated/aws-event-stream.ts'
import type { Stage, TestProject } from './inference-stage.ts'
import { makeProjectOf, type ProviderWire, sixWires } from './six-wires.ts'

export const surfaces = {
  'chat completions': {
    path: '/v1/chat/completions',
    ask: (text: string) => ({ messages: [{ role: 'user', content: text }] }),
  },
  messages: {
    path: '/v1/messages',
    ask: (text: string) => ({ max_tokens: 100, messages: [{ role: 'user', content: text }] }),
  },
  responses: { path: '/v1/responses', ask: (text: string) => ({ input: text, store: false }) },
} as const
export type SurfaceName = keyof typeof surfaces
const allSurfaces = Object.keys(surfaces) as SurfaceName[]

export interface AnyWire {
  name: string
  /** The surfaces whose requests it answers in this format. */
  surfaces: readonly SurfaceName[]
  makeProject(stage: Stage, settings: Record<string, unknown>): Promise<TestProject>
  streamType: string
  /** The pieces of a whole stream. `finish` is why the answer ends, in the provider's word. */
  events(finish?: string): Buffer[]
  /** A body that may end after all but this many events without harm. */
  spareEvents: number
  whole(finish?: string): Buffer
  /** Words for an end that is not the model's own: its provider failed, or it has more to say. */
  failures: readonly string[]
  errorEvent: Buffer
  errorBody: object
}

const said = { text: ['An', 'swer'] }
const sse = 'text/event-stream'
const serverError = { message: 'no', type: 'server_error', code: null }

interface Words {
  ofModel: string
  failures: readonly string[]
}

const chatWords: Words = {
  ofModel: '"finish_reason":"stop"',
  // Of Mistral and OpenRouter, vLLM and SGLang, DeepSeek, and one that nobody knows.
  failures: ['error', 'abort', 'insufficient_system_resource', 'who_knows'].map(word => `"finish_reason":"${word}"`),
}
const anthropicWords: Words = {
  ofModel: '"stop_reason":"end_turn"',
  failures: ['pause_turn', 'who_knows'].map(word => `"stop_reason":"${word}"`),
}
const googleWords: Words = {
  ofModel: '"finishReason":"STOP"',
  failures: [
    'OTHER',
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'MALFORMED_RESPONSE',
    'FINISH_REASON_UNSPECIFIED',
    'WHO_KNOWS',
  ].map(word => `"finishReason":"${word}"`),
}
const wordsOf: Record<ProviderWire['provider'], Words> = {
  openai: chatWords,
  openrouter: {
    ...chatWords,
    failures: [...chatWords.failures, '"finish_reason":"stop","native_finish_reason":"MALFORMED_FUNCTION_CALL"'],
  },
  mistral: chatWords,
  anthropic: anthropicWords,
  google: googleWords,
  cohere: {
    ofModel: '"finish_reason":"COMPLETE"',
    failures: ['ERROR', 'TIMEOUT', 'WHO_KNOWS'].map(word => `"finish_reason":"${word}"`),
  },
}

const errorsOf: Record<ProviderWire['provider'], object> = {
  openai: { error: serverError },
  openrouter: { error: { code: 502, message: 'no' } },
  mistral: { object: 'error', message: 'no', type: 'server_error', code: 3000 },
  anthropic: { type: 'error', error: { type: 'api_error', message: 'no' } },
  google: { error: { code: 500, message: 'no', status: 'INTERNAL' } },
  cohere: { message: 'no' },
}

function wireOf(provider: ProviderWire['provider']): ProviderWire {
  const wire = sixWires.find(one => one.provider === provider)
  if (wire === undefined) throw new Error(`there is no wire of ${provider}`)
  return wire
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))
const event = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)

/** `name` is that of another provider with the same wire. */
function fromSix(provider: ProviderWire['provider'], other: Partial<AnyWire> = {}): AnyWire {
  const wire = wireOf(provider)
  const { ofModel, failures } = wordsOf[provider]
  const endsWith = (body: unknown, finish: string) => {
    const text = textOf(body)
    if (!text.includes(ofModel)) throw new Error(`${provider} does not end with ${ofModel}`)
    return text.replace(ofModel, () => finish)
  }
  return {
    name: provider,
    surfaces: allSurfaces,
    makeProject: (stage, settings) => makeProjectOf(stage, wire, settings),
    streamType: sse,
    events: (finish = ofModel) =>
      endsWith(wire.answer(said, true).body, finish)
        .split(/(?<=\n\n)/)
        .map(text => Buffer.from(text)),
    spareEvents: 0,
    whole: (finish = ofModel) => Buffer.from(endsWith(wire.answer(said, false).body, finish)),
    failures,
    errorEvent: event(errorsOf[provider]),
    errorBody: errorsOf[provider],
    ...other,
  }
}

// --- OpenAI's own responses

const response = { id: 'resp_s', object: 'response', created_at: 1_790_000_000, model: 'gpt-4o-mini', output: [] }
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }
const content = [{ type: 'output_text', text: said.text.join(''), annotations: [] }]
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const ended = {
  ...response,
  output: [{ ...item, content }],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
}
const completed = '"status":"completed"'

function endedWith(finish: string): object {
  return JSON.parse(`{${finish}}`)
}

const openaiResponses: AnyWire = {
  ...fromSix('openai'),
  name: 'openai’s responses',
  surfaces: ['responses'],
  events: (finish = completed) =>
    [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      ...said.text.map(delta => ({ type: 'response.output_text.delta', ...place, delta })),
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
      { type: 'response.completed', response: { ...ended, ...endedWith(finish) } },
    ].map((value, number) =>
      Buffer.from(`event: ${value.type}\ndata: ${JSON.stringify({ ...value, sequence_number: number })}\n\n`),
    ),
  whole: (finish = completed) => Buffer.from(JSON.stringify({ ...ended, ...endedWith(finish) })),
  failures: [
    '"status":"failed","error":{"code":"server_error","message":"no"}',
    '"status":"cancelled"',
    '"status":"in_progress"',
    '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}',
  ],
  errorEvent: event({ type: 'error', code: 'server_error', message: 'no', param: null, sequence_number: 9 }),
}

// --- custom servers and clouds

type Configure = (url: string) => { path: string; model: string; body: object }

function makeConfigured(configure: Configure): AnyWire['makeProject'] {
  return async (stage, settings) => {
    const { model, ...provider } = configure(stage.upstream.url)
    return await stage.makeProject({ model, provider, settings })
  }
}

const custom: Configure = url => ({
  path: 'custom/local',
  model: 'custom-local/small',
  body: {
    display_name: 'Local',
    base_url: `${url}/v1`,
    api_key: 'plain0123456789/of+a+server',
    headers: { 'X-Team': 'red team "one"', 'X-Gate': 'Token gate-0123456789' },
    models: [{ id: 'small' }],
  },
})

const azure: Configure = url => ({
  path: 'azure',
  model: 'azure/my-gpt',
  body: { base_url: url, api_version: '2024-10-21', deployments: [{ id: 'my-gpt' }], api_key: 'azure-key-0123456789' },
})

export const awsSecret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const bedrock: Configure = url => ({
  path: 'bedrock',
  model: `bedrock/${claude}`,
  body: {
    region: 'eu-central-1',
    models: [{ id: claude }],
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: awsSecret,
    session_token: 'session0123456789/of+aws=',
    base_url_override: url,
  },
})

export const entraSecret = 'entra-client-secret/0123+456'
const entra: Configure = url => ({
  path: 'azure',
  model: 'azure/my-gpt',
  body: {
    base_url: url,
    api_version: '2024-10-21',
    deployments: [{ id: 'my-gpt' }],
    tenant_id: 'directory',
    client_id: 'app',
    client_secret: entraSecret,
  },
})

export const identityTokenFile = join(mkdtempSync(join(tmpdir(), 'sallyport-token-')), 'token')
export const identityToken = 'web-identity-token/0123+456'
writeFileSync(identityTokenFile, identityToken)
const assumedRole: Configure = url => ({
  path: 'bedrock',
  model: `bedrock/${claude}`,
  body: {
    region: 'eu-central-1',
    models: [{ id: claude }],
    role_arn: 'arn:aws:iam::123456789012:role/bedrock',
    web_identity_token_file: identityTokenFile,
    base_url_override: url,
  },
})

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const vertexModel =
  (model: string): Configure =>
  url => ({
    path: 'vertex',
    model: `vertex/${model}`,
    body: {
      location: 'europe-west4',
      models: [{ id: model }],
      service_account: {
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: 'key-1',
        private_key: privateKeyPem,
        client_email: 'me@my-project.iam.gserviceaccount.com',
        token_uri: `${url}/google/token`,
      },
      base_url_override: url,
    },
  })

const bedrockUsage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
const bedrockWire: AnyWire = {
  name: 'bedrock',
  surfaces: allSurfaces,
  makeProject: makeConfigured(bedrock),
  streamType: 'application/vnd.amazon.eventstream',
  events: (finish = 'end_turn') => [
    eventFrame('messageStart', { role: 'assistant' }),
    ...said.text.map(text => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
    eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
    eventFrame('messageStop', { stopReason: finish }),
    eventFrame('metadata', { usage: bedrockUsage }),
  ],
  // What the answer cost.
  spareEvents: 1,
  whole: (finish = 'end_turn') =>
    Buffer.from(
      JSON.stringify({
        output: { message: { role: 'assistant', content: [{ text: said.text.join('') }] } },
        stopReason: finish,
        usage: bedrockUsage,
      }),
    ),
  failures: ['malformed_model_output', 'malformed_tool_use', 'who_knows'],
  errorEvent: exceptionFrame('modelStreamErrorException', 'no'),
  errorBody: { message: 'no' },
}

export const everyWire: readonly AnyWire[] = [
  fromSix('openai', { surfaces: ['chat completions', 'messages'] }),
  openaiResponses,
  ...(['anthropic', 'google', 'openrouter', 'mistral', 'cohere'] as const).map(provider => fromSix(provider)),
  fromSix('openai', { name: 'a custom server', makeProject: makeConfigured(custom) }),
  fromSix('openai', { name: 'azure', makeProject: makeConfigured(azure) }),
  bedrockWire,
  fromSix('google', { name: 'vertex with Gemini', makeProject: makeConfigured(vertexModel('gemini-2.5-flash')) }),
  fromSix('anthropic', { name: 'vertex with Claude', makeProject: makeConfigured(vertexModel('claude-sonnet-4-5')) }),
]

/**
 * Clouds whose credentials are exchanged for others. They need the issuers' addresses and the file of the token in the
 * environment.
 */
export const exchangingWires: readonly AnyWire[] = [
  fromSix('openai', { name: 'azure by Entra ID', makeProject: makeConfigured(entra) }),
  { ...bedrockWire, name: 'bedrock by an assumed role', makeProject: makeConfigured(assumedRole) },
]

/** Answers the checks of keys, except that of AWS, and the requests for tokens of clouds. */
export function scriptAllKeyChecks({ upstream }: Stage): void {
  upstream.on('GET /v1beta/models', { body: { models: [] } })
  upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'small' }], models: [] } })
  upstream.on('GET /v1/key', { body: { data: { label: 'key' } } })
  upstream.on('GET /openai/models', { body: { data: [] } })
  upstream.on('POST /entra/directory/oauth2/v2.0/token', {
    body: { access_token: 'entra0123456789.token-1', expires_in: 3600, token_type: 'Bearer' },
  })
  upstream.on('POST /google/token', {
    body: { access_token: 'ya0123456789.token-1', expires_in: 3600, token_type: 'Bearer' },
  })
}
