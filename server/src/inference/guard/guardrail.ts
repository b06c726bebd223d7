// The contract of a guardrail: what it makes of a project's settings, and of one request. guard.ts registers the guardrails
// and runs them.

import type { Verified } from '../../domain/caller.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { GuardrailName } from '../../domain/guardrails/guardrails.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { GuardrailMode, Settings } from '../../domain/settings/settings.ts'
import type { Shielded } from '../../guardrails/pii-shield.ts'
import type { GuardEvents } from './guard-events.ts'

export interface Guardrail<Name extends GuardrailName, Rules = unknown> {
  name: Name
  /** What the settings ask for, compiled once per revision of them; null where there is nothing to look for. */
  rules(settings: Settings): Rules | null
  /** Looks at one request (by `run`) and emits its events (by `report`). Must not throw. */
  check(request: GuardedRequest<Name>, rules: Rules): Promise<Ruling>
}

export type ActiveMode = Exclude<GuardrailMode, 'disabled'>

/** One request as one guardrail sees it. */
export interface GuardedRequest<Name extends GuardrailName = GuardrailName> {
  guardrail: Name
  mode: ActiveMode
  /** Without the project's own instructions. */
  prompt: Prompt
  verified: Verified
  events: GuardEvents
  metrics: Pick<Metrics, 'guarded' | 'verdictReused'>
  now: () => number
  log: Log
}

/** What a guardrail makes of a request. */
export interface Ruling {
  blocked: Refusal | null
  /** Enforced, and it could not run. */
  unavailable: Refusal | null
  /** What the texts become; null where they stay as they are. At most one guardrail may replace texts. */
  covered: Shielded | null
}
