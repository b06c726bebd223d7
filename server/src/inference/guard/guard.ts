// The guardrails on one request: both look at it, both say what they did, and then it goes on changed, unchanged, or not at
// all. Knows the order, the modes and the answers; what is found and how it is masked is the guardrails' own.

import { deriveKey } from '../../crypto/secrets/derive-key.ts'
import type { Message, Prompt } from '../../domain/conversation/prompt.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { Finding } from '../../guardrails/finding.ts'
import { createKnownTexts } from '../../guardrails/known-texts.ts'
import type { Vault } from '../../guardrails/masking/vault.ts'
import { replaceTexts } from '../../guardrails/prompt-texts.ts'
import type { SentinelVerdict } from '../../guardrails/sentinel/sentinel.ts'
import type { AdmittedCall } from '../../http/inference-port.ts'
import type { EventStream } from '../../kv/store.ts'
import { createGuardEvents } from './guard-events.ts'
import { guardWithPiiShield } from './guard-pii.ts'
import { createRuleBook } from './guard-rules.ts'
import type { Guarding } from './guard-run.ts'
import { guardWithSentinel } from './guard-sentinel.ts'

export interface Guard {
  /** `prompt` is without the project's own instructions. Throws where the request must not go on. */
  check(call: AdmittedCall, prompt: Prompt): Promise<Guarded>
  /** Resolves when what the guardrails had to say is said. */
  stop(): Promise<void>
}

export interface Guarded {
  /** What the provider reads. */
  messages: Message[]
  /** What memory keeps of messages of this request. */
  forMemory(said: readonly Message[]): Message[]
  /** What is restored in the answer; null where nothing is. To be closed with the request. */
  vault: Vault | null
}

interface GuardParts {
  kv: Pick<EventStream, 'emitEvent'>
  /** The projects' keys for tokens are derived from it. */
  maskingKey: Uint8Array
  metrics: Pick<Metrics, 'guarded' | 'verdictReused' | 'eventEmitted'>
  now: () => number
  log: Log
}

/** About 150 bytes each. */
const maxKnown = 100_000

export function createGuard({ kv, maskingKey, metrics, now, log }: GuardParts): Guard {
  const events = createGuardEvents({ kv, metrics, log })
  const rulesOf = createRuleBook()
  const knownFinds = createKnownTexts<readonly Finding[]>(maxKnown, finds => finds.length)
  const knownVerdicts = createKnownTexts<SentinelVerdict>(maxKnown, () => 0)

  return {
    async check({ verified, resolved }, prompt) {
      const { pii, sentinel } = rulesOf(resolved.settings)
      const guarding: Guarding = { verified, events, metrics, now, log }
      const giveKey = () => deriveKey(maskingKey, ['mask-tokens', verified.tenantId, verified.projectId])
      const shielded = pii && (await guardWithPiiShield(guarding, pii, prompt, { known: knownFinds, giveKey }))
      const watched = sentinel && (await guardWithSentinel(guarding, sentinel, prompt.messages, knownVerdicts))
      const refusal = shielded?.blocked ?? watched?.blocked ?? shielded?.unavailable ?? watched?.unavailable
      const covered = shielded?.covered
      if (refusal) {
        covered?.vault?.close()
        throw refusal
      }
      if (!covered) return passUnguarded(prompt.messages)
      return {
        messages: replaceTexts(prompt.messages, covered.forProvider),
        forMemory: said => replaceTexts(said, covered.forMemory),
        vault: covered.vault,
      }
    },
    stop: events.settle,
  }
}

export function passUnguarded(messages: Message[]): Guarded {
  return { messages, forMemory: copyOf, vault: null }
}

const copyOf = (said: readonly Message[]): Message[] => [...said]
