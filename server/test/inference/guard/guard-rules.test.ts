// Tests that the rules of a project's settings are compiled once, even if each request brings another settings object.

import { expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../src/domain/settings/settings.ts'
import { createPiiGuardrail } from '../../../src/inference/guard/guard-pii.ts'
import { createSentinelGuardrail } from '../../../src/inference/guard/guard-sentinel.ts'

const defaults = defaultSettings('http://localhost:8080')
const terms = () => Array.from({ length: 200 }, (_, index) => `${index} ${'long term '.repeat(20)}`.trim())

test('the same terms in another list are not compiled again, other terms are', async () => {
  const guardrail = createSentinelGuardrail({ maxKnown: 1 })
  const sentinelOf = (sentinel_blocklist: string[]) =>
    guardrail.rules({ ...defaults, sentinel_mode: 'enforce', sentinel_blocklist })
  const [first, again, other] = [
    await sentinelOf(terms()),
    await sentinelOf(terms()),
    await sentinelOf([...terms(), 'one more']),
  ]
  expect(again?.sentinel).toBe(first?.sentinel)
  expect(again?.blocklist).toBe(first?.blocklist)
  expect(other?.sentinel).not.toBe(first?.sentinel)
  expect(other?.blocklist).not.toBe(first?.blocklist)
})

test('the same map of entities is read once, and an empty one asks for nothing', async () => {
  const { rules } = createPiiGuardrail({
    keyOf: () => new Uint8Array(32),
    maxKnown: 1,
    recogniser: { open: () => null },
  })
  const settings: Settings = { ...defaults, pii_mode: 'enforce', pii_entities: { PERSON: 'MASK' } }
  expect(await rules(settings)).not.toBeNull()
  expect((await rules({ ...settings, memory_window: 1 }))?.rules).toBe((await rules(settings))?.rules)
  expect(await rules(defaults)).toBeNull()
})
