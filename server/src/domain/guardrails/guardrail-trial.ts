// A try of the guardrails: what they detect in texts outside of any request, and what they would do to them.

import type { GivenText } from '../prompts/fill-template.ts'
import type { EntityAction, EntityName, SentinelThreshold, Settings } from '../settings/settings.ts'
import { type GuardrailName, guardrailNames } from './guardrails.ts'
import type { ThresholdOutcome } from './sentinel-threshold.ts'

/** The roles that a message of a request may have. */
export const triedRoles = ['user', 'assistant', 'system', 'developer', 'tool'] as const

/** What becomes of a request with this text; the strongest if there are several. */
export const trialOutcomes = ['pass', 'mask', 'redact', 'block'] as const

/** What a guardrail says: it would block, or in shadow mode only report; or the score is below the threshold. */
export const trialVerdicts = ['passed', 'flagged', 'detected', 'blocked'] as const

export interface TriedMessage {
  role: (typeof triedRoles)[number]
  text: string
}

export interface TriedMessages {
  tenantId: string
  projectId: string
  requestId: string
  settings: Settings
  messages: readonly TriedMessage[]
  /** What a request would give as variables of a prompt; it is in the messages, too. */
  givenTexts: readonly GivenText[]
}

interface FoundEntity {
  /** The index of the message. */
  message: number
  type: EntityName
  start: number
  end: number
  score: number
  action: EntityAction
}

interface UsualFindings {
  verdict: (typeof trialVerdicts)[number]
}

/** What guardrails show beyond a verdict. */
export interface OwnFindings {
  /** By place. Offsets count UTF-16 units. */
  pii: readonly FoundEntity[]
  sentinel: UsualFindings & {
    families: readonly string[]
    terms: number
    /** The first one that has a text of the first family, or a term; null if none has. */
    variable: string | null
    /** From 0 to 1, with three decimals. */
    score: string
    /** What each threshold would do with that score. */
    thresholds: Readonly<Record<SentinelThreshold, ThresholdOutcome>>
  }
}

/** What each guardrail detects in the text. */
export type TrialFindings = {
  [Name in GuardrailName]: Name extends keyof OwnFindings ? OwnFindings[Name] : UsualFindings
}

const noAttack: OwnFindings['sentinel'] = {
  verdict: 'passed',
  families: [],
  terms: 0,
  variable: null,
  score: '0.000',
  thresholds: { strict: 'pass', balanced: 'pass', lenient: 'pass' },
}
const noOwnFindings: OwnFindings = { pii: [], sentinel: noAttack }
const passed: UsualFindings = { verdict: 'passed' }

/** For guardrails that are off, too. */
export const noFindings = {
  ...(Object.fromEntries(guardrailNames.map(name => [name, passed])) as Record<GuardrailName, UsualFindings>),
  ...noOwnFindings,
} satisfies TrialFindings

export interface GuardrailTrial extends TrialFindings {
  /** As if every guardrail that is on were enforced. */
  would: (typeof trialOutcomes)[number]
  /** The text of each message that the provider would get; null if the request would be blocked. */
  maskedTexts: readonly string[] | null
  /** Types without an action that PII Shield would detect, except where a type with an action matches. */
  uncheckedTypes: readonly EntityName[]
}

/** Throws if a guardrail cannot run. */
export type TryGuardrails = (tried: TriedMessages) => Promise<GuardrailTrial>
