// Tests a try of the guardrails without a server: what it does if a guardrail cannot run, and that it caches nothing.

import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../src/domain/settings/settings.ts'
import { createGuardrails } from '../../../src/inference/guard/guard.ts'
import { modeOf } from '../../../src/inference/guard/guard-rules.ts'
import { createTryGuardrails } from '../../../src/inference/guard/try-guardrails.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { promptOf, said } from './open-guard.ts'

const { log } = createMemoryLog()
const means = {
  maskingKey: randomBytes(32),
  outbound: createOutbound({ allow: parseOutboundAllow(undefined), log }),
  settings: { recogniserUrl: null },
}
const now = Date.now
const owner = { tenantId: randomUUID(), projectId: randomUUID(), requestId: randomUUID(), userId: 'alice' }
const text = 'Write to zoe.roe@example.com about the plums'

function settingsOf(overrides: Partial<Settings>): Settings {
  return { ...defaultSettings('https://example.com'), ...overrides }
}

test.each(['shadow', 'enforce'] as const)('%s: fails if a guardrail cannot run', async mode => {
  const tryGuardrails = createTryGuardrails({ ...means, now, log })
  const settings = settingsOf({ pii_mode: mode, pii_entities: { EMAIL_ADDRESS: 'MASK' }, sentinel_mode: mode })
  const tried = (said: string) => ({
    ...owner,
    settings,
    messages: [{ role: 'user' as const, text: said }],
    givenTexts: [],
  })
  await expect(tryGuardrails(tried('word '.repeat(440_000)))).rejects.toMatchObject({
    code: 'guarded_text_too_large',
  })
  expect(await tryGuardrails(tried(text))).toMatchObject({ would: 'mask' })
})

test.each([
  [0, 0],
  [10, 2],
])('guardrails that may cache %i results reuse %i of a text that comes again', async (maxKnown, expected) => {
  const settings = settingsOf({
    pii_mode: 'enforce',
    pii_entities: { EMAIL_ADDRESS: 'MASK' },
    sentinel_mode: 'enforce',
  })
  let reused = 0
  const metrics = {
    guardrailChecked: () => undefined,
    verdictReused: () => {
      reused += 1
    },
    recogniserCalled: () => undefined,
  }
  const run = createGuardrails(means, maxKnown)
  const subject = {
    prompt: promptOf([said(text)]),
    givenTexts: [],
    verified: owner,
    events: { emit: () => undefined },
    metrics,
    now,
    log,
  }
  for (let round = 0; round < 2; round++) {
    for (const { replacements } of await run(subject, settings, modeOf)) replacements?.vault?.close()
  }
  expect(reused).toBe(expected)
})
