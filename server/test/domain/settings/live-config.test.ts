import { describe, expect, test } from 'vitest'
import { resolveForTier } from '../../../src/domain/resolved-config.ts'
import {
  buildLiveConfig,
  initialLiveConfig,
  type LiveConfig,
  parseLiveConfig,
  withModel,
} from '../../../src/domain/settings/live-config.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import type { TierOverrides } from '../../../src/domain/settings/tier.ts'

const project = { id: 'p1', tenant_id: 't1', slug: 'amber-falcon-4821' }
const settings = defaultSettings('https://a.com')
const hourMs = 3_600_000
const fresh = initialLiveConfig(project, settings)

function deploy(previous: LiveConfig, tiers: Record<string, TierOverrides>, now: number): LiveConfig {
  const list = Object.entries(tiers).map(([name, overrides], sort_order) => ({
    id: name,
    sort_order,
    created_at: 1,
    name,
    overrides,
  }))
  return buildLiveConfig(project, { number: 1, snapshot: { settings, tiers: list, prompts: [] } }, previous, now)
}

const limitOf = (live: LiveConfig, tier: string | undefined, now: number) =>
  resolveForTier(live, tier, now).settings.rpm_limit

describe('a live document', () => {
  test('a project that was never deployed has the defaults and says so', () => {
    expect(fresh).toEqual({
      project_id: 'p1',
      tenant_id: 't1',
      slug: 'amber-falcon-4821',
      deployed: false,
      deployment: null,
      prompts: [],
      settings,
      tiers: [],
      retired_tiers: [],
      identity_provider: null,
    })
    expect(deploy(fresh, {}, 0).deployed).toBe(true)
  })

  test('a model change touches the model alone', () => {
    const live = deploy(fresh, { gold: { rpm_limit: 5 } }, 0)
    const changed = withModel(live, 'openai/gpt-4o-mini')
    expect(changed).toEqual({ ...live, settings: { ...settings, provider_model: 'openai/gpt-4o-mini' } })
    expect(withModel(fresh, 'openai/gpt-4o-mini').deployed).toBe(false)
  })

  test('comes back from its text as it was', () => {
    const first = deploy(fresh, { gold: { rpm_limit: 5, pii_entities: { PERSON: 'MASK' } }, free: {} }, 1000)
    for (const live of [fresh, first, deploy(first, { free: { retention_days: null } }, 2000)]) {
      expect(parseLiveConfig(JSON.stringify(live))).toEqual(live)
    }
  })

  test('fields that a newer version added are passed over', () => {
    expect(parseLiveConfig(JSON.stringify({ ...fresh, new_field: 1 }))).toEqual(fresh)
  })

  const identity_provider = {
    issuer: 'https://id.example.com',
    jwks_url: 'https://id.example.com/keys',
    audience: 'app',
    user_id_claim: 'sub',
    tier_claim: null,
  }

  test('an identity provider stays through deploys', () => {
    const live = deploy({ ...fresh, identity_provider }, {}, 0)
    expect(live.identity_provider).toEqual(identity_provider)
    expect(parseLiveConfig(JSON.stringify(live))).toEqual(live)
  })

  test.each(Object.keys(identity_provider))('with an identity provider without %s it is damaged', key => {
    const damaged = { ...fresh, identity_provider: { ...identity_provider, [key]: undefined } }
    expect(parseLiveConfig(JSON.stringify(damaged))).toBeNull()
  })

  const whole = deploy(deploy(fresh, { gold: { rpm_limit: 5 } }, 0), { free: { rpm_limit: 1 } }, 0)
  const text = JSON.stringify(whole)
  const addedLater = ['deployment', 'prompts']

  test('one that is older than prompts has none, and does not say which deployment it is', () => {
    const older = { ...whole, deployment: undefined, prompts: undefined }
    expect(parseLiveConfig(JSON.stringify(older))).toEqual({ ...whole, deployment: null })
  })

  test.each([
    ['empty', ''],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['cut short', text.slice(0, -1)],
    ...Object.keys(whole)
      .filter(key => !addedLater.includes(key))
      .map(key => [`without ${key}`, JSON.stringify({ ...whole, [key]: undefined })]),
    ['with a wrong mode', text.replace('"pii_mode":"disabled"', '"pii_mode":"disable"')],
    ['with a wrong override', text.replace('"rpm_limit":5', '"rpm_limit":0')],
    ['with an unknown override', text.replace('"rpm_limit":5', '"rpm":5')],
    ['with a tier without name', text.replace('"name":"free"', '"nom":"free"')],
    ['with a retired tier without time', text.replace('"retired_at":0', '"retired_at":"0"')],
    ['with a text for the deployment', text.replace('"deployment":1', '"deployment":"1"')],
    ['with a wrong prompt', text.replace('"prompts":[]', '"prompts":[{}]')],
    ['with a text for deployed', text.replace('"deployed":true', '"deployed":"true"')],
  ])('%s it is damaged, not the defaults', (_name, damaged = '') => {
    expect(damaged).not.toBe(text)
    expect(parseLiveConfig(damaged)).toBeNull()
  })
})

describe('a tier of a token', () => {
  const live = deploy(fresh, { gold: { rpm_limit: 5, tokens_per_day: 2000 }, free: { memory_window: 3 } }, 0)

  test('a limit of its own bounds the user, the project keeps its own', () => {
    expect(resolveForTier(live, 'gold', 0)).toEqual({
      tier: 'gold',
      settings: { ...settings, rpm_limit: 5, tokens_per_day: 2000 },
      projectLimits: { rpm_limit: 60, tokens_per_day: 1_000_000 },
      userLimits: { rpm_limit: 5, tokens_per_day: 2000 },
      budgets: { project: [], tier: [] },
      guarded: { requests: false, answers: false },
    })
  })

  test.each([
    ['free', 3],
    [undefined, 50],
    ['unknown', 50],
    ['', 50],
    ['Gold', 50],
    ['__proto__', 50],
    ['toString', 50],
  ])('%s bounds no user and has memory_window %i', (tier, memoryWindow) => {
    const resolved = resolveForTier(live, tier, 0)
    expect(resolved.tier).toBe(tier === 'free' ? 'free' : null)
    expect(resolved.userLimits).toEqual({ rpm_limit: null, tokens_per_day: null })
    expect(resolved.settings.memory_window).toBe(memoryWindow)
  })
})

test.each<[TierOverrides, boolean, boolean]>([
  [{}, false, false],
  [{ pii_mode: 'shadow' }, true, false],
  [{ sentinel_mode: 'enforce' }, true, false],
  [{ pii_answer_mode: 'enforce' }, false, true],
  [{ answer_blocklist: ['word'] }, false, true],
])('a tier with %j: requests are guarded: %s, answers: %s', (overrides, requests, answers) => {
  const live = deploy(fresh, { gold: overrides }, 0)
  expect(resolveForTier(live, 'gold', 0).guarded).toEqual({ requests, answers })
  expect(resolveForTier(live, undefined, 0).guarded).toEqual({ requests: false, answers: false })
})

describe('a tier that a deploy dropped', () => {
  const first = deploy(fresh, { gold: { rpm_limit: 5 } }, 0)
  const dropped = deploy(first, {}, hourMs)

  test('stays in force for a day with its last deployed overrides, then means the project', () => {
    expect(limitOf(dropped, 'gold', hourMs)).toBe(5)
    expect(limitOf(dropped, 'gold', 25 * hourMs - 1)).toBe(5)
    expect(limitOf(dropped, 'gold', 25 * hourMs)).toBe(60)
  })

  test('its day counts from the deploy that dropped it, not from later ones', () => {
    const later = deploy(deploy(dropped, {}, 10 * hourMs), {}, 20 * hourMs)
    expect(later.retired_tiers).toEqual([{ name: 'gold', overrides: { rpm_limit: 5 }, retired_at: hourMs }])
    expect(limitOf(later, 'gold', 25 * hourMs)).toBe(60)
    expect(deploy(later, {}, 25 * hourMs).retired_tiers).toEqual([])
  })

  test('a new tier of that name takes over at once, and may be dropped in its turn', () => {
    const again = deploy(dropped, { gold: { rpm_limit: 9 } }, 2 * hourMs)
    expect(again.retired_tiers).toEqual([])
    expect(limitOf(again, 'gold', 2 * hourMs)).toBe(9)
    const droppedAgain = deploy(again, {}, 3 * hourMs)
    expect(droppedAgain.retired_tiers).toEqual([{ name: 'gold', overrides: { rpm_limit: 9 }, retired_at: 3 * hourMs }])
  })

  test('a live tier hides a retired one of its name', () => {
    const retired_tiers = [{ name: 'gold', overrides: { rpm_limit: 9 }, retired_at: 0 }]
    expect(limitOf({ ...first, retired_tiers }, 'gold', 0)).toBe(5)
  })

  test('a tier that was renamed lives on under its old name', () => {
    const renamed = deploy(first, { platinum: { rpm_limit: 5 } }, hourMs)
    expect([limitOf(renamed, 'gold', hourMs), limitOf(renamed, 'platinum', hourMs)]).toEqual([5, 5])
  })
})
