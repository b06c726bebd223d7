import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import {
  abbreviatedChanges,
  changesBetween,
  parseSnapshot,
  type Snapshot,
} from '../../../src/domain/settings/snapshot.ts'

const settings = defaultSettings('https://a.com')
const gold = { id: 't1', sort_order: 1, created_at: 5, name: 'gold', overrides: { rpm_limit: 5 } }
const bare: Snapshot = { settings, tiers: [], prompts: [] }
const template = { messages: [{ role: 'user' as const, content: 'Hi' }], variables: {}, model: null, params: {} }
const greeting = { name: 'greeting', ...template }

const changes: [name: string, previous: Snapshot, next: Snapshot, expected: object[]][] = [
  ['nothing', bare, bare, []],
  [
    'settings, in their order',
    bare,
    { ...bare, settings: { ...settings, provider_model: 'openai/gpt-4o', rpm_limit: 9 } },
    [
      { field: 'rpm_limit', from: 60, to: 9 },
      { field: 'provider_model', from: null, to: 'openai/gpt-4o' },
    ],
  ],
  [
    'lists and maps by content',
    { ...bare, settings: { ...settings, pii_entities: { PERSON: 'MASK', US_SSN: 'BLOCK' } } },
    { ...bare, settings: { ...settings, pii_entities: { US_SSN: 'BLOCK', PERSON: 'MASK' }, cors_origins: [] } },
    [{ field: 'cors_origins', from: ['https://a.com'], to: [] }],
  ],
  ['a new tier', bare, { ...bare, tiers: [gold] }, [{ field: 'tiers.gold', from: null, to: { rpm_limit: 5 } }]],
  ['a dropped tier', { ...bare, tiers: [gold] }, bare, [{ field: 'tiers.gold', from: { rpm_limit: 5 }, to: null }]],
  [
    'a changed tier',
    { ...bare, tiers: [gold] },
    { ...bare, tiers: [{ ...gold, overrides: {} }] },
    [{ field: 'tiers.gold', from: { rpm_limit: 5 }, to: {} }],
  ],
  ['a new prompt', bare, { ...bare, prompts: [greeting] }, [{ field: 'prompts.greeting', from: null, to: template }]],
  [
    'a changed prompt and a dropped one',
    { ...bare, prompts: [greeting, { ...greeting, name: 'old' }] },
    { ...bare, prompts: [{ ...greeting, params: { temperature: 1 } }] },
    [
      { field: 'prompts.greeting', from: template, to: { ...template, params: { temperature: 1 } } },
      { field: 'prompts.old', from: template, to: null },
    ],
  ],
]

describe('the changes of a deploy', () => {
  test.each(changes)('%s', (_name, previous, next, expected) => {
    expect(changesBetween(previous, next)).toEqual(expected)
    expect(abbreviatedChanges(previous, next)).toEqual(expected)
  })

  test('have long values in full before the deploy, and shortened in the list of deployments', () => {
    const prompt = 'x'.repeat(501)
    const next = { ...bare, settings: { ...settings, system_prompt: prompt } }
    expect(changesBetween(bare, next)).toEqual([{ field: 'system_prompt', from: null, to: prompt }])
    const shortened = [{ field: 'system_prompt', from: null, to: `${'x'.repeat(500)}…` }]
    expect(abbreviatedChanges(bare, next)).toEqual(shortened)
  })
})

describe('a snapshot', () => {
  const snapshot: Snapshot = { settings, tiers: [gold], prompts: [greeting] }
  const text = JSON.stringify(snapshot)

  test('comes back from its text as it was', () => expect(parseSnapshot(text)).toEqual(snapshot))

  test('has no prompts if it is older than prompts, and is corrupt with an invalid one', () => {
    const { prompts: _, ...older } = snapshot
    expect(parseSnapshot(JSON.stringify(older))).toEqual({ ...snapshot, prompts: [] })
    expect(parseSnapshot(JSON.stringify({ ...snapshot, prompts: [{ name: 'x' }] }))).toBeNull()
  })

  test.each([
    ['cut short', text.slice(0, -1)],
    ['without tiers', JSON.stringify({ settings })],
    ['without settings', JSON.stringify({ tiers: [] })],
    ['a tier without id', text.replace('"id"', '"no"')],
    ['a tier made at no time', text.replace('"created_at":5', '"created_at":"5"')],
    ['a tier without order', text.replace('"sort_order":1', '"sort_order":"1"')],
    ['a wrong value', text.replace('"memory_window":50', '"memory_window":501')],
  ])('%s: damaged', (_name, damaged) => {
    expect(damaged).not.toBe(text)
    expect(parseSnapshot(damaged)).toBeNull()
  })
})
