// Sets up the guardrails on a real store without the rest of the product, and records what they count, log and report.
import { randomBytes, randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { AdmittedCall } from '../../../src/call/admitted-call.ts'
import type { Message, Prompt } from '../../../src/domain/conversation/prompt.ts'
import { readGuardrailEvent } from '../../../src/domain/guardrails/guardrail-event.ts'
import type { CheckedText } from '../../../src/domain/metrics.ts'
import { defaultSettings, type Settings } from '../../../src/domain/settings/settings.ts'
import { createGuard } from '../../../src/inference/guard/guard.ts'
import type { EventStream } from '../../../src/kv/event-stream.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { createMemoryLog } from '../../kv/stores.ts'

export function promptOf(messages: Message[]): Prompt {
  const nothing = { tools: [], otherTools: [], sampling: {}, stop: [], stream: false, includeUsage: false, extra: {} }
  return { format: 'chat-completions', source: null, messages, ...nothing }
}

export const said = (content: string): Message => ({ role: 'user', content })

export function openGuard(
  overrides: Partial<Settings>,
  kv?: Pick<EventStream, 'emitEvent'>,
  recogniserUrl: string | null = null,
) {
  const { log, lines } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  const counted: string[] = []
  const metrics = {
    guardrailChecked: ({ guardrail }: CheckedText, verdict: string) => void counted.push(`${guardrail} ${verdict}`),
    verdictReused: (guardrail: string) => void counted.push(`${guardrail} reused`),
    recogniserCalled: (outcome: string) => void counted.push(`recogniser ${outcome}`),
    eventEmitted: (outcome: string) => void counted.push(`event ${outcome}`),
  }
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(() => outbound.close())
  const guard = createGuard({
    kv: kv ?? store,
    maskingKey: randomBytes(32),
    outbound,
    settings: { recogniserUrl },
    metrics,
    now: Date.now,
    log,
  })
  const settings = { ...defaultSettings('https://example.com'), ...overrides }
  const verified = { requestId: randomUUID(), tenantId: randomUUID(), projectId: randomUUID(), userId: 'alice' }
  const callOf = (owner: object, changed: Partial<Settings>) =>
    ({
      verified: { ...verified, ...owner },
      resolved: { settings: { ...settings, ...changed } },
    }) as unknown as AdmittedCall
  return {
    counted,
    lines,
    /** `owner`: another tenant or project than the usual one; `changed`: other settings than the usual ones. */
    check: (prompt: Prompt, owner = {}, changed: Partial<Settings> = {}) => guard.check(callOf(owner, changed), prompt),
    async events() {
      await guard.stop()
      return (await store.claimEvents('test', 100, 0)).map(({ fields }) => readGuardrailEvent(fields))
    },
  }
}
