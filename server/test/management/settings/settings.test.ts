// Settings over the wire: each field's words, what an update changes, what the draft hides from live traffic.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'

type Record_ = Record<string, unknown>

const defaults = {
  system_prompt: null,
  memory_window: 50,
  cors_allow_credentials: false,
  rpm_limit: 60,
  tokens_per_day: 1_000_000,
  pii_mode: 'disabled',
  pii_entities: {},
  custom_entities: [],
  sentinel_mode: 'disabled',
  sentinel_blocklist: [],
  memory_enabled: true,
  retention_days: null,
  store_tool_calls: false,
  sentinel_sources: 'user',
  sentinel_threshold: 'balanced',
  provider_model: null,
  allowed_models: null,
  client_model: 'prefer',
  routes: null,
  max_output_tokens: null,
  user_rpm_limit: null,
  user_tokens_per_day: null,
  unknown_tier: 'project',
  client_system_messages: 'allow',
  client_tools: 'allow',
  client_fields: 'all',
  client_prompts: 'allow',
  pii_answer_mode: 'disabled',
  answer_blocklist: [],
  recogniser_url: null,
  cache: null,
  request_log: 'metadata',
  request_log_days: 30,
  content_days: 7,
  anonymous: null,
  draft_provider_model: null,
  draft_saved_at: null,
  deployed_at: null,
}

const badOrigin = (origin: string) => `Invalid origin '${origin}': must be scheme + host, no trailing slash`
const piiMessage = 'pii_entities must map known entity types to MASK, REDACT or BLOCK'

const refused: [string, unknown, string][] = [
  ['an empty body', {}, 'no fields to update'],
  ['no recognised field', { colour: 'red' }, 'no fields to update'],
  ['a prompt of another type', { system_prompt: 5 }, 'system_prompt must be a string (max 32000 chars)'],
  ['a prompt too long', { system_prompt: 'x'.repeat(32_001) }, 'system_prompt must be a string (max 32000 chars)'],
  ['a window below', { memory_window: -1 }, 'memory_window must be an integer 0-500'],
  ['a window above', { memory_window: 501 }, 'memory_window must be an integer 0-500'],
  ['half a window', { memory_window: 1.5 }, 'memory_window must be an integer 0-500'],
  ['a window as text', { memory_window: '5' }, 'memory_window must be an integer 0-500'],
  ['origins as text', { cors_origins: 'https://a.example' }, 'cors_origins must be an array of strings'],
  ['a number among origins', { cors_origins: [1] }, 'cors_origins must be an array of strings'],
  ['a trailing slash', { cors_origins: ['https://a.example/'] }, badOrigin('https://a.example/')],
  ['a path', { cors_origins: ['https://a.example/x'] }, badOrigin('https://a.example/x')],
  ['another scheme', { cors_origins: ['ftp://a.example'] }, badOrigin('ftp://a.example')],
  [
    'the wildcard with credentials',
    { cors_origins: ['*'], cors_allow_credentials: true },
    'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true',
  ],
  ['credentials as text', { cors_allow_credentials: 'yes' }, 'cors_allow_credentials must be a boolean'],
  ['rpm below', { rpm_limit: 0 }, 'rpm_limit must be an integer 1-10000'],
  ['rpm above', { rpm_limit: 10_001 }, 'rpm_limit must be an integer 1-10000'],
  ['tokens below', { tokens_per_day: 999 }, 'tokens_per_day must be an integer >= 1000'],
  ['a bad pii mode', { pii_mode: 'on' }, 'pii_mode must be one of: disabled, shadow, enforce'],
  ['an unknown entity', { pii_entities: { SHOE_SIZE: 'MASK' } }, piiMessage],
  ['an unknown action', { pii_entities: { PERSON: 'HIDE' } }, piiMessage],
  ['entities as a list', { pii_entities: ['PERSON'] }, piiMessage],
  ['a bad sentinel mode', { sentinel_mode: true }, 'sentinel_mode must be one of: disabled, shadow, enforce'],
  ['a blocklist of numbers', { sentinel_blocklist: [1] }, 'sentinel_blocklist must be an array of strings'],
  ['201 terms', { sentinel_blocklist: Array(201).fill('x') }, 'sentinel_blocklist must not exceed 200 terms'],
  ['memory as text', { memory_enabled: 'true' }, 'memory_enabled must be a boolean'],
  ['no allowed model', { allowed_models: [] }, 'allowed_models must be an array of 1-50 known model IDs or null'],
  [
    'an unknown allowed model',
    { allowed_models: ['openai/gpt-4o', 'x/y'] },
    'allowed_models must be an array of 1-50 known model IDs or null',
  ],
  [
    'a route to an unknown model',
    { routes: { targets: [{ model: 'openai/gpt-4o' }, { model: 'x/y' }], strategy: 'fallback' } },
    'routes.targets[1].model must be a known model ID',
  ],
  ['no output', { max_output_tokens: 0 }, 'max_output_tokens must be an integer 1-1000000 or null'],
  ['too much output', { max_output_tokens: 1_000_001 }, 'max_output_tokens must be an integer 1-1000000 or null'],
  ['a rate of users above', { user_rpm_limit: 10_001 }, 'user_rpm_limit must be an integer 1-10000 or null'],
  ['tokens of users below', { user_tokens_per_day: 999 }, 'user_tokens_per_day must be an integer >= 1000 or null'],
  [
    'another word for system messages',
    { client_system_messages: 'ignore' },
    'client_system_messages must be one of: allow, drop, reject',
  ],
  ['another word for the model', { client_model: 'always' }, 'client_model must be one of: prefer, exact'],
  ['another word for tools', { client_tools: 'drop' }, 'client_tools must be one of: allow, reject'],
  ['a bad answer mode', { pii_answer_mode: 'on' }, 'pii_answer_mode must be one of: disabled, shadow, enforce'],
  [
    'too many terms for answers',
    { answer_blocklist: Array(201).fill('a') },
    'answer_blocklist must not exceed 200 terms',
  ],
  [
    'a recogniser with a query',
    { recogniser_url: 'https://presidio.example.com/?a=b' },
    'recogniser_url must be an http or https address without user info, query or fragment or null',
  ],
  [
    'a recogniser with another scheme',
    { recogniser_url: 'ftp://presidio.example.com' },
    'recogniser_url must be an http or https address without user info, query or fragment or null',
  ],
  ['a recogniser at a private address', { recogniser_url: 'http://127.0.0.1:5002' }, 'The address is not allowed'],
  ['another word for fields', { client_fields: null }, 'client_fields must be one of: all, known'],
  ['another word for prompts', { client_prompts: true }, 'client_prompts must be one of: allow, required'],
  ['retention of nothing', { retention_days: 0 }, 'retention_days must be an integer 1-365 or null'],
  ['retention above', { retention_days: 366 }, 'retention_days must be an integer 1-365 or null'],
  ['tool calls as a number', { store_tool_calls: 1 }, 'store_tool_calls must be a boolean'],
  ['an unknown model', { provider_model: 'openai/no-such' }, 'provider_model must be a known model ID or null'],
  // The table's order decides, not the body's.
  ['two faults', { tokens_per_day: 1, rpm_limit: 0 }, 'rpm_limit must be an integer 1-10000'],
  ['one fault beside good fields', { memory_window: 5, rpm_limit: 0 }, 'rpm_limit must be an integer 1-10000'],
]

const accepted: [Record_, Record_][] = [
  [{ system_prompt: '' }, { system_prompt: '' }],
  [{ system_prompt: '𝒳'.repeat(32_000) }, { system_prompt: '𝒳'.repeat(32_000) }],
  [{ memory_window: 0 }, { memory_window: 0 }],
  [{ memory_window: 500 }, { memory_window: 500 }],
  [
    { cors_origins: ['https://App.Example:443', 'http://b.example:8080', 'https://app.example'] },
    { cors_origins: ['https://app.example', 'http://b.example:8080'] },
  ],
  [{ cors_origins: ['*'] }, { cors_origins: ['*'] }],
  [
    { cors_origins: [], cors_allow_credentials: true },
    { cors_origins: [], cors_allow_credentials: true },
  ],
  [{ rpm_limit: 1 }, { rpm_limit: 1 }],
  [
    { rpm_limit: 10_000, tokens_per_day: 1000 },
    { rpm_limit: 10_000, tokens_per_day: 1000 },
  ],
  [
    { pii_mode: 'enforce', pii_entities: { PERSON: 'MASK', US_SSN: 'BLOCK' } },
    { pii_mode: 'enforce', pii_entities: { PERSON: 'MASK', US_SSN: 'BLOCK' } },
  ],
  [
    { sentinel_mode: 'shadow', sentinel_blocklist: ['Project Hush'] },
    { sentinel_mode: 'shadow', sentinel_blocklist: ['Project Hush'] },
  ],
  [
    { pii_answer_mode: 'enforce', answer_blocklist: ['a', 'a'] },
    { pii_answer_mode: 'enforce', answer_blocklist: ['a', 'a'] },
  ],
  [
    { allowed_models: ['openai/gpt-4o', 'openai/gpt-4o-mini', 'openai/gpt-4o'], user_rpm_limit: 5 },
    { allowed_models: ['openai/gpt-4o', 'openai/gpt-4o-mini'], user_rpm_limit: 5 },
  ],
  [
    { max_output_tokens: 1, user_tokens_per_day: 1000, client_tools: 'reject', client_fields: 'known' },
    { max_output_tokens: 1, user_tokens_per_day: 1000, client_tools: 'reject', client_fields: 'known' },
  ],
  [
    {
      routes: {
        targets: [{ model: 'openai/gpt-4o', weight: 3, timeout_ms: 500 }, { model: 'anthropic/claude-sonnet-4-5' }],
        strategy: 'weighted',
        retry: { attempts: 2, on: ['5xx', 'connect', '5xx'] },
        first_token_timeout_ms: 900,
      },
    },
    {
      routes: {
        targets: [{ model: 'openai/gpt-4o', weight: 3, timeout_ms: 500 }, { model: 'anthropic/claude-sonnet-4-5' }],
        strategy: 'weighted',
        retry: { attempts: 2, on: ['connect', '5xx'] },
        first_token_timeout_ms: 900,
      },
    },
  ],
  [{ retention_days: 365 }, { retention_days: 365 }],
  [{ recogniser_url: 'https://9.9.9.9/presidio/' }, { recogniser_url: 'https://9.9.9.9/presidio' }],
  [
    { retention_days: null, store_tool_calls: true },
    { retention_days: null, store_tool_calls: true },
  ],
  [
    { memory_enabled: false, id: 'x', project_id: 'x', deployed_at: 'now', created_at: 'then' },
    { memory_enabled: false },
  ],
]

describeEachBackend('settings', start => {
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    plane = await start({ env: { DASHBOARD_ORIGIN: 'https://dash.example' } })
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })
  const owner = () => ({ session: plane.owner.session })
  const pathOf = (projectId: string) => `/auth/v1/projects/${projectId}/settings`
  const put = (projectId: string, body: unknown) => plane.call('PUT', pathOf(projectId), { ...owner(), body })
  const get = async (projectId: string) => (await plane.call('GET', pathOf(projectId), owner())).body as Record_

  test('a new project has the defaults', async () => {
    const { id } = await plane.makeProject(tenantId)
    const { body, status } = await plane.call('GET', pathOf(id), owner())
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...defaults, project_id: id, cors_origins: ['https://dash.example'] })
    expect(Object.keys(body as Record_)).toHaveLength(44)
  })

  describe('refused updates', () => {
    let projectId: string
    beforeAll(async () => {
      projectId = (await plane.makeProject(tenantId)).id
    })
    test.each(refused)('%s', async (_name, body, error) => {
      expect(await put(projectId, body)).toMatchObject({ status: 400, body: { error } })
      expect(await get(projectId)).toMatchObject({ ...defaults, cors_origins: ['https://dash.example'] })
    })
    test.each([['[]'], ['"text"'], ['7']])('a body that is no object: %s', async body => {
      const answer = await put(projectId, body)
      expect(answer).toMatchObject({ status: 400, body: { error: 'Request body must be a JSON object' } })
    })
  })

  describe('accepted updates', () => {
    test.each(accepted)('%j', async (body, expected) => {
      const { id } = await plane.makeProject(tenantId)
      const answer = await put(id, body)
      expect(answer).toMatchObject({ status: 200, body: { ...expected, project_id: id, deployed_at: null } })
      expect(await get(id)).toEqual(answer.body)
    })
  })

  test('cross-field rules hold against the stored other half', async () => {
    const { id } = await plane.makeProject(tenantId)
    await put(id, { cors_allow_credentials: true })
    const error = 'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true'
    expect(await put(id, { cors_origins: ['*'] })).toMatchObject({ status: 400, body: { error } })
    await put(id, { cors_allow_credentials: false })
    expect(await put(id, { cors_origins: ['*'] })).toMatchObject({ status: 200 })
    expect(await put(id, { cors_allow_credentials: true })).toMatchObject({ status: 400, body: { error } })
  })

  test('a model in the settings is a draft; null and the deployed model clear it', async () => {
    const { id } = await plane.makeProject(tenantId)
    const drafted = (await put(id, { provider_model: 'openai/gpt-4o-mini' })).body as Record_
    expect(drafted).toMatchObject({ provider_model: null, draft_provider_model: 'openai/gpt-4o-mini' })
    expect(Date.parse(String(drafted['draft_saved_at']))).toBeGreaterThan(Date.now() - 60_000)
    const cleared = (await put(id, { provider_model: null })).body
    expect(cleared).toMatchObject({ draft_provider_model: null, draft_saved_at: null })
  })

  test('updates at once of different fields lose nothing', async () => {
    const { id } = await plane.makeProject(tenantId)
    const updates = [{ rpm_limit: 7 }, { memory_window: 8 }, { tokens_per_day: 9000 }, { retention_days: 10 }]
    await Promise.all(updates.map(update => put(id, update)))
    expect(await get(id)).toMatchObject({ rpm_limit: 7, memory_window: 8, tokens_per_day: 9000, retention_days: 10 })
  })

  test('the memory view shows the draft, and nothing else', async () => {
    const { id } = await plane.makeProject(tenantId)
    await put(id, { memory_window: 3, system_prompt: 'Be brief.' })
    const { body, status } = await plane.call('GET', `/auth/v1/projects/${id}/memory`, owner())
    expect(status).toBe(200)
    expect(body).toEqual({
      project_id: id,
      memory_enabled: true,
      memory_window: 3,
      retention_days: null,
      system_prompt: 'Be brief.',
      store_tool_calls: false,
    })
  })

  test('the short path is the same route', async () => {
    const { id } = await plane.makeProject(tenantId)
    const path = `/v1/projects/${id}/settings`
    expect(await plane.call('PUT', path, { ...owner(), body: { rpm_limit: 5 } })).toMatchObject({ status: 200 })
    expect(await plane.call('GET', path, owner())).toMatchObject({ body: await get(id) })
    expect(await plane.call('GET', path)).toMatchObject({ status: 401, body: { error: 'Bearer token required' } })
    const stranger = await plane.makePerson()
    expect(await plane.call('GET', path, { session: stranger.session })).toMatchObject({
      status: 403,
      body: { error: 'Forbidden' },
    })
  })
})
