import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetValues } from '../../../src/domain/budgets/budget.ts'
import type { FieldTable } from '../../../src/domain/settings/field-table.ts'
import { defaultSettings, entityTypes, settingsFields, settingsTable } from '../../../src/domain/settings/settings.ts'
import { checkSettingsField, checkSettingsUpdate, parseSettings } from '../../../src/domain/settings/settings-rules.ts'
import { messageIn, valueIn } from '../expect-checked.ts'

const origin = 'https://dashboard.example.com'
const stored = { ...defaultSettings(origin) }
const isKnownModel = (id: string) => id === 'openai/gpt-4o-mini'
const update = (body: unknown, row = stored) => checkSettingsUpdate(body, row, isKnownModel)

const prompt = 'system_prompt must be a string (max 32000 chars)'
const promptText = 'system_prompt must not contain NUL characters or unpaired surrogates'
const window = 'memory_window must be an integer 0-500'
const originsType = 'cors_origins must be an array of strings'
const credentials = 'cors_allow_credentials must be a boolean'
const wildcard = 'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true'
const wildcardAlone = 'The wildcard CORS origin (*) cannot be combined with other origins'
const rpm = 'rpm_limit must be an integer 1-10000'
const tokens = 'tokens_per_day must be an integer >= 1000'
const piiMode = 'pii_mode must be one of: disabled, shadow, enforce'
const entities = 'pii_entities must map known entity types to MASK, REDACT or BLOCK'
const sentinelMode = 'sentinel_mode must be one of: disabled, shadow, enforce'
const listType = 'sentinel_blocklist must be an array of strings'
const listLength = 'sentinel_blocklist must not exceed 200 terms'
const term = 'sentinel_blocklist terms must be 1-256 characters and not blank'
const retention = 'retention_days must be an integer 1-365 or null'
const model = 'provider_model must be a known model ID or null'
const badOrigin = (entry: string) => `Invalid origin '${entry}': must be scheme + host, no trailing slash`

const kinds = 'turnstile, hcaptcha, recaptcha, proof_of_work, app_check'
const proof = '"attestation": ["proof_of_work"]'

const refused: [body: string, message: string][] = [
  ['{"system_prompt": 5}', prompt],
  ['{"system_prompt": ["x"]}', prompt],
  [JSON.stringify({ system_prompt: 'x'.repeat(32_001) }), prompt],
  ['{"system_prompt": "a\\u0000b"}', promptText],
  ['{"system_prompt": "a\\ud800b"}', promptText],
  ...['-1', '501', '1.5', '"50"', 'null', 'true', '1e400', '[]'].map(v => row('memory_window', v, window)),
  ...['"https://a.com"', 'null', '{}', '[1]', '["https://a.com", null]'].map(v => row('cors_origins', v, originsType)),
  ['{"cors_origins": ["https://a.com/"]}', badOrigin('https://a.com/')],
  ['{"cors_origins": ["https://a.com", "https://b.com/x"]}', badOrigin('https://b.com/x')],
  ['{"cors_origins": [""]}', badOrigin('')],
  [JSON.stringify({ cors_origins: ['x'.repeat(1000)] }), badOrigin(`${'x'.repeat(300)}…`)],
  ['{"cors_origins": ["*", "https://a.com"]}', wildcardAlone],
  [JSON.stringify({ cors_origins: origins(101) }), 'cors_origins must not exceed 100 origins'],
  ...['1', '"true"', 'null'].map(v => row('cors_allow_credentials', v, credentials)),
  ['{"cors_origins": ["*"], "cors_allow_credentials": true}', wildcard],
  ['{"cors_origins": ["*", "https://a.com"], "cors_allow_credentials": true}', wildcard],
  ...['0', '10001', '1.5', '"60"', 'null'].map(v => row('rpm_limit', v, rpm)),
  ...['999', '1000.5', '"1000"', 'null', '9007199254740993'].map(v => row('tokens_per_day', v, tokens)),
  ...['"on"', '"ENFORCE"', 'null', '1', '["shadow"]'].map(v => row('pii_mode', v, piiMode)),
  ...[
    'null',
    '[]',
    '"MASK"',
    '{"EMAIL": "MASK"}',
    '{"PERSON": "mask"}',
    '{"PERSON": null}',
    '{"PERSON": ["MASK"]}',
    '{"EMPLOYEE_ID": "MASK"}',
    '{"employee_id": "MASK"}',
  ].map(v => row('pii_entities', v, entities)),
  ...['{"__proto__": "MASK"}', '{"__proto__": {"PERSON": "MASK"}}', '{"constructor": "MASK"}'].map(v =>
    row('pii_entities', v, entities),
  ),
  ...['"off"', 'null', '0'].map(v => row('sentinel_mode', v, sentinelMode)),
  ...['"a"', 'null', '[1]', '[["a"]]', '{}'].map(v => row('sentinel_blocklist', v, listType)),
  [JSON.stringify({ sentinel_blocklist: Array(201).fill('a') }), listLength],
  ...['[""]', '["  "]', '["\\u200b"]', '["ok", "\\u2060 \\ufeff"]', '["\\u3164"]'].map(v =>
    row('sentinel_blocklist', v, term),
  ),
  [JSON.stringify({ sentinel_blocklist: ['x'.repeat(257)] }), term],
  ['{"sentinel_blocklist": ["a\\u0000"]}', 'sentinel_blocklist must not contain NUL characters or unpaired surrogates'],
  ...['1', '"true"', 'null'].map(v => row('memory_enabled', v, 'memory_enabled must be a boolean')),
  ...['0', '366', '1.5', '"30"', 'false'].map(v => row('retention_days', v, retention)),
  ...['[]', '"on"', '60', 'true'].map(v => row('cache', v, 'cache must be an object or null')),
  ...['{}', '{"ttl_seconds": 0}', '{"ttl_seconds": 86401}', '{"ttl_seconds": null}', '{"ttl_seconds": "60"}'].map(v =>
    row('cache', v, 'cache.ttl_seconds must be an integer 1-86400'),
  ),
  ...['"tenant"', 'null', '1'].map(v =>
    row('cache', `{"ttl_seconds": 60, "scope": ${v}}`, 'cache.scope must be one of: user, project'),
  ),
  row('cache', '{"ttl_seconds": 60, "ttl": 1}', 'cache has an unknown field: ttl'),
  ...['{}', '{"attestation": []}', '{"attestation": ["captcha"]}', '{"attestation": "turnstile"}'].map(v =>
    row('anonymous', v, `anonymous.attestation must be a non-empty array of: ${kinds}`),
  ),
  ...['""', '" "', '5', `"${'x'.repeat(256)}"`].map(v =>
    row('anonymous', `{${proof}, "tier": ${v}}`, 'anonymous.tier must be a string of 1-255 characters or null'),
  ),
  ...['59', '3601', '"60"', 'null'].map(v =>
    row('anonymous', `{${proof}, "ttl": ${v}}`, 'anonymous.ttl must be an integer 60-3600'),
  ),
  ...['0', '10001', '1.5'].map(v =>
    row(
      'anonymous',
      `{${proof}, "per_address_per_hour": ${v}}`,
      'anonymous.per_address_per_hour must be an integer 1-10000',
    ),
  ),
  row('anonymous', `{${proof}, "secret": "x"}`, 'anonymous has an unknown field: secret'),
  ...['0', '"false"', 'null'].map(v => row('store_tool_calls', v, 'store_tool_calls must be a boolean')),
  ...['"gpt-4o-mini"', '""', '5', '"openai/unheard-of"', '"__proto__"'].map(v => row('provider_model', v, model)),
  ...['{}', '[]', 'null', '"x"', '5', '{"id": "x", "draft_provider_model": "openai/gpt-4o-mini"}'].map(
    (body): [string, string] => [body, 'no fields to update'],
  ),
  ['{"__proto__": {"rpm_limit": 5}}', 'no fields to update'],
]

const accepted: [body: string, value: object][] = [
  ['{"anonymous": null}', { anonymous: null }],
  [
    '{"anonymous": {"attestation": ["hcaptcha", "turnstile", "hcaptcha"]}}',
    { anonymous: { attestation: ['hcaptcha', 'turnstile'], tier: null, ttl: 3600, per_address_per_hour: 30 } },
  ],
  ['{"system_prompt": null}', { system_prompt: null }],
  ['{"system_prompt": ""}', { system_prompt: '' }],
  [JSON.stringify({ system_prompt: 'x'.repeat(32_000) }), { system_prompt: 'x'.repeat(32_000) }],
  // Characters are code points: 32,000 emoji are 64,000 UTF-16 units.
  [JSON.stringify({ system_prompt: '🙂'.repeat(32_000) }), { system_prompt: '🙂'.repeat(32_000) }],
  ['{"memory_window": 0}', { memory_window: 0 }],
  ['{"memory_window": -0}', { memory_window: 0 }],
  ['{"memory_window": 500}', { memory_window: 500 }],
  ['{"cors_origins": []}', { cors_origins: [] }],
  ['{"cors_origins": ["*"]}', { cors_origins: ['*'] }],
  ['{"cors_origins": ["*", "*"]}', { cors_origins: ['*'] }],
  ['{"cors_origins": ["HTTPS://A.com:443", "https://a.com"]}', { cors_origins: ['https://a.com'] }],
  [JSON.stringify({ cors_origins: origins(100) }), { cors_origins: origins(100) }],
  [JSON.stringify({ cors_origins: [...origins(100), ...origins(100)] }), { cors_origins: origins(100) }],
  ['{"cors_allow_credentials": true}', { cors_allow_credentials: true }],
  ['{"rpm_limit": 1, "tokens_per_day": 1000}', { rpm_limit: 1, tokens_per_day: 1000 }],
  ['{"rpm_limit": 10000}', { rpm_limit: 10_000 }],
  ['{"pii_mode": "shadow", "sentinel_mode": "enforce"}', { pii_mode: 'shadow', sentinel_mode: 'enforce' }],
  ['{"pii_entities": {}}', { pii_entities: {} }],
  ['{"pii_entities": {"PERSON": "MASK", "US_SSN": "BLOCK"}}', { pii_entities: { PERSON: 'MASK', US_SSN: 'BLOCK' } }],
  ['{"sentinel_blocklist": ["a", "a", " b "]}', { sentinel_blocklist: ['a', 'a', ' b '] }],
  [
    JSON.stringify({ sentinel_blocklist: Array(200).fill('x'.repeat(256)) }),
    { sentinel_blocklist: Array(200).fill('x'.repeat(256)) },
  ],
  ['{"memory_enabled": false, "store_tool_calls": true}', { memory_enabled: false, store_tool_calls: true }],
  ['{"retention_days": null}', { retention_days: null }],
  ['{"retention_days": 1}', { retention_days: 1 }],
  ['{"retention_days": 365}', { retention_days: 365 }],
  ['{"provider_model": "openai/gpt-4o-mini"}', { provider_model: 'openai/gpt-4o-mini' }],
  ['{"provider_model": null, "unknown": 1}', { provider_model: null }],
]

function row(field: string, value: string, message: string): [string, string] {
  return [`{"${field}": ${value}}`, message]
}

function origins(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://a${index}.com`)
}

describe('a settings update', () => {
  test.each(refused)('%.80s is refused', (body, message) => {
    expect(messageIn(update(JSON.parse(body)))).toBe(message)
  })

  test.each(accepted)('%.80s is accepted', (body, value) => {
    expect(valueIn(update(JSON.parse(body)))).toEqual(value)
  })

  test('what a body only inherits is not sent', () => {
    expect(messageIn(update(Object.create({ rpm_limit: 5 })))).toBe('no fields to update')
  })

  test('a wildcard is held against stored credentials, and credentials against a stored wildcard', () => {
    expect(messageIn(update({ cors_origins: ['*'] }, { ...stored, cors_allow_credentials: true }))).toBe(wildcard)
    expect(messageIn(update({ cors_allow_credentials: true }, { ...stored, cors_origins: ['*'] }))).toBe(wildcard)
    const both = { cors_origins: [origin], cors_allow_credentials: true }
    expect(valueIn(update(both, { ...stored, cors_origins: ['*'] }))).toEqual(both)
  })

  test('the first failure in the order of the table answers, whatever the order sent', () => {
    const faults: Record<string, [unknown, string]> = {
      system_prompt: [5, prompt],
      memory_window: [-1, window],
      cors_origins: ['x', originsType],
      cors_allow_credentials: ['x', credentials],
      rpm_limit: [0, rpm],
      tokens_per_day: [0, tokens],
      pii_mode: ['x', piiMode],
      pii_entities: ['x', entities],
      custom_entities: ['x', 'custom_entities must be an array of objects'],
      sentinel_mode: ['x', sentinelMode],
      sentinel_blocklist: ['x', listType],
      sentinel_sources: ['x', 'sentinel_sources must be one of: user, user_and_tools'],
      sentinel_threshold: ['x', 'sentinel_threshold must be one of: strict, balanced, lenient'],
      memory_enabled: ['x', 'memory_enabled must be a boolean'],
      retention_days: [0, retention],
      store_tool_calls: ['x', 'store_tool_calls must be a boolean'],
      provider_model: ['x', model],
      allowed_models: ['x', 'allowed_models must be an array of 1-50 known model IDs or null'],
      client_model: ['x', 'client_model must be one of: prefer, exact'],
      routes: ['x', 'routes must be an object with targets and strategy, or null'],
      max_output_tokens: [0, 'max_output_tokens must be an integer 1-1000000 or null'],
      user_rpm_limit: [0, 'user_rpm_limit must be an integer 1-10000 or null'],
      user_tokens_per_day: [0, 'user_tokens_per_day must be an integer >= 1000 or null'],
      unknown_tier: ['x', 'unknown_tier must be one of: project, reject'],
      client_system_messages: ['x', 'client_system_messages must be one of: allow, drop, reject'],
      client_tools: ['x', 'client_tools must be one of: allow, reject'],
      client_fields: ['x', 'client_fields must be one of: all, known'],
      client_prompts: ['x', 'client_prompts must be one of: allow, required'],
      pii_answer_mode: ['x', 'pii_answer_mode must be one of: disabled, shadow, enforce'],
      answer_blocklist: ['x', 'answer_blocklist must be an array of strings'],
      budgets: ['x', `budgets must be ${budgetValues}`],
      recogniser_url: [
        'x',
        'recogniser_url must be an http or https address without user info, query or fragment or null',
      ],
      cache: ['x', 'cache must be an object or null'],
      request_log: ['x', 'request_log must be one of: off, metadata, content'],
      request_log_days: [401, 'request_log_days must be an integer 1-400'],
      content_days: [91, 'content_days must be an integer 1-90'],
      anonymous: ['x', 'anonymous must be an object or null'],
    }
    const order = Object.keys(faults)
    expect(order).toEqual([...settingsFields])
    for (let first = 0; first < order.length; first++) {
      const sent = order.slice(first).reverse()
      const body = Object.fromEntries(sent.map(field => [field, faults[field]?.[0]]))
      expect(messageIn(update(body))).toBe(faults[order[first] ?? '']?.[1])
    }
  })

  test('the wildcard rule stands between credentials and rpm_limit', () => {
    const body = { cors_origins: ['*'], cors_allow_credentials: true, rpm_limit: 0 }
    expect(messageIn(update(body))).toBe(wildcard)
  })
})

const plausible = fc.oneof(
  fc.jsonValue(),
  fc.integer({ min: -1, max: 2000 }),
  fc.constantFrom(null, true, 'shadow', '*'),
  fc.array(fc.webUrl({ size: 'small' }).map(url => url.split('/').slice(0, 3).join('/'))),
  fc.dictionary(fc.constantFrom(...entityTypes), fc.constantFrom('MASK', 'REDACT', 'mask')),
)

describe('any JSON at all', () => {
  test('gives an outcome, and a value that is accepted is accepted again unchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...settingsFields), plausible, (field, json) => {
        const first = checkSettingsField(field, json, () => true)
        if (!first.ok) return
        expect(checkSettingsField(field, first.value, () => true)).toEqual(first)
      }),
    )
  })
})

describe('stored settings', () => {
  const whole = defaultSettings(origin)

  test('the defaults are valid and come back as they are', () => {
    expect(parseSettings(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
    expect(valueIn(update({ ...whole }))).toEqual(whole)
  })

  test.each(settingsFields)(
    'without %s they are damaged or older than it, with a wrong one they are damaged',
    field => {
      const { [field]: _, ...rest } = whole
      const rows: FieldTable = settingsTable
      expect(parseSettings(rest)).toEqual(rows[field]?.hasColumn ? null : whole)
      expect(parseSettings({ ...whole, [field]: 12.5 })).toBeNull()
    },
  )
})
