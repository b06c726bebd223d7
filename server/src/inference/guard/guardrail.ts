// The contract of a guardrail: it compiles rules from a project's settings and checks requests and answers with them.
// guard.ts registers and runs the guardrails.

import type { Verified } from '../../domain/caller.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { TrialFindings } from '../../domain/guardrails/guardrail-trial.ts'
import type { GuardrailDirection, GuardrailName } from '../../domain/guardrails/guardrails.ts'
import type { Log } from '../../domain/log.ts'
import type { GuardrailVerdict, Metrics } from '../../domain/metrics.ts'
import type { GivenText } from '../../domain/prompts/fill-template.ts'
import type { GuardrailMode, Settings } from '../../domain/settings/settings.ts'
import type { TextScanner } from '../../guardrails/answers/answer-text.ts'
import type { Replacements } from '../../guardrails/pii-shield.ts'
import type { ExternalRecogniser } from '../../guardrails/recogniser/external-recogniser.ts'
import type { GuardEvents } from './guard-events.ts'

export interface Guardrail<Name extends GuardrailName, Rules = unknown> {
  name: Name
  /** Compiles the rules from the settings, once per revision; null if there is nothing to scan for. */
  rules(settings: Settings): Promise<Rules | null>
  /** Checks one request (inside `run`) and emits its events (with `report`). Must not throw. */
  check(request: GuardedRequest<Name>, rules: Rules): Promise<GuardrailResult>
  /** Opens the scan of one answer; null if there is nothing to scan for. */
  openAnswer(subject: CheckedSubject<Name>, settings: Settings): Promise<AnswerScan | null>
}

/** Scans one answer for one guardrail. */
export interface AnswerScan {
  /** Creates the scanner of one text of the answer. It throws a Refusal to end the answer. */
  createScanner(): TextScanner
  /** The answer has ended: emits the events (with `report`). */
  conclude(): GuardrailVerdict
}

export interface GuardrailDependencies {
  /** The project's key for mask tokens. */
  keyOf(project: Pick<Verified, 'tenantId' | 'projectId'>): Uint8Array
  /** How many results of scanned texts it caches, about 150 bytes each. */
  maxKnown: number
  recogniser: ExternalRecogniser
}

export type ActiveMode = Exclude<GuardrailMode, 'disabled'>

/** One request or its answer, as it is known to one guardrail. */
export interface CheckedSubject<Name extends GuardrailName = GuardrailName> {
  guardrail: Name
  direction: GuardrailDirection
  mode: ActiveMode
  verified: Pick<Verified, 'requestId' | 'tenantId' | 'projectId' | 'userId'>
  events: Pick<GuardEvents, 'emit'>
  metrics: Pick<Metrics, 'guardrailChecked' | 'verdictReused' | 'recogniserCalled'>
  now: () => number
  log: Log
}

/** One request, as input of one guardrail. */
export interface GuardedRequest<Name extends GuardrailName = GuardrailName> extends CheckedSubject<Name> {
  /** Without the project's system prompt. */
  prompt: Prompt
  /** What the client gave as variables of a prompt of the project; it is in the messages, too. */
  givenTexts: readonly GivenText[]
}

/** A guardrail's result for one request. */
export interface GuardrailResult {
  blocked: Refusal | null
  /** Set if the guardrail is enforced and could not run. */
  unavailable: Refusal | null
  /** The replaced texts; null if they stay unchanged. At most one guardrail may replace texts. */
  replacements: Replacements | null
  /** What it has detected, for a trial. */
  show(settings: Settings): Partial<TrialFindings>
}
