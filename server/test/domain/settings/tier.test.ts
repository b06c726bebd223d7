import { describe, expect, test } from 'vitest'
import { defaultSettings, settingsFields } from '../../../src/domain/settings/settings.ts'
import { checkOverrides, overrideFields, resolveTier } from '../../../src/domain/settings/tier.ts'
import { messageIn, valueIn } from '../expect-checked.ts'

const check = (value: unknown) => checkOverrides(value, id => id === 'openai/gpt-4o-mini')

describe('the overrides of a tier', () => {
  test('are the settings without those of CORS, of unknown tiers and of anonymous users', () => {
    const isOfProject = (field: string) => field.startsWith('cors_') || ['unknown_tier', 'anonymous'].includes(field)
    expect([...overrideFields]).toEqual(settingsFields.filter(field => !isOfProject(field)))
  })

  test.each([
    ['null', 'overrides must be an object'],
    ['[]', 'overrides must be an object'],
    ['"x"', 'overrides must be an object'],
    ['{"cors_origins": ["*"]}', 'overrides has an unknown field: cors_origins'],
    ['{"rpm_limit": 0, "colour": 1}', 'overrides has an unknown field: colour'],
    ['{"__proto__": {"rpm_limit": 5}}', 'overrides has an unknown field: __proto__'],
    ['{"constructor": 1}', 'overrides has an unknown field: constructor'],
    ['{"rpm_limit": 0}', 'rpm_limit must be an integer 1-10000'],
    ['{"rpm_limit": null}', 'rpm_limit must be an integer 1-10000'],
    ['{"rpm_limit": 0, "system_prompt": 5}', 'system_prompt must be a string (max 32000 chars)'],
    ['{"provider_model": "gpt-4o-mini"}', 'provider_model must be a known model ID or null'],
    ['{"pii_entities": {"X": "MASK"}}', 'pii_entities must map known entity types to MASK, REDACT or BLOCK'],
  ])('%s is refused', (json, message) => expect(messageIn(check(JSON.parse(json)))).toBe(message))

  test.each([
    '{}',
    '{"rpm_limit": 5}',
    '{"system_prompt": null, "provider_model": null, "retention_days": null}',
    '{"provider_model": "openai/gpt-4o-mini", "pii_entities": {"PERSON": "BLOCK"}}',
  ])('%s is accepted', json => expect(valueIn(check(JSON.parse(json)))).toEqual(JSON.parse(json)))
})

describe('resolving a tier', () => {
  const project = {
    ...defaultSettings('https://a.com'),
    system_prompt: 'Be kind.',
    pii_entities: { PERSON: 'MASK' } as const,
  }

  test('an override replaces the value, a map whole, and null is a value', () => {
    const resolved = resolveTier(project, { rpm_limit: 5, system_prompt: null, pii_entities: { US_SSN: 'BLOCK' } })
    expect(resolved).toEqual({ ...project, rpm_limit: 5, system_prompt: null, pii_entities: { US_SSN: 'BLOCK' } })
  })

  test('no overrides change nothing', () => expect(resolveTier(project, {})).toEqual(project))
})
