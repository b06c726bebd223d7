// The guardrails, one row each: the settings of its modes, and the types of its events. Metric labels, event
// types and the registration in inference/guard derive from this table, in this order. The detection itself is
// in guardrails/.

import type { GuardrailMode, Settings, SettingsField } from '../settings/settings.ts'

type ModeField = { [F in SettingsField]: GuardrailMode extends Settings[F] ? F : never }[SettingsField]

/** `input` is text sent to the provider, `output` is text of its answer. */
export const guardrailDirections = ['input', 'output'] as const
export type GuardrailDirection = (typeof guardrailDirections)[number]

interface GuardrailFacts {
  modeField: ModeField
  /** Its mode for answers. */
  answerModeField: ModeField
  /** Whether it has anything to scan answers for: if none has, no answer is scanned. */
  scansAnswers(settings: Settings): boolean
  events: readonly string[]
}

export const guardrails = {
  pii: {
    modeField: 'pii_mode',
    answerModeField: 'pii_answer_mode',
    scansAnswers: settings => settings.pii_answer_mode !== 'disabled',
    events: ['pii_block', 'pii_detection'],
  },
  sentinel: {
    modeField: 'sentinel_mode',
    answerModeField: 'sentinel_mode',
    scansAnswers: settings => settings.answer_blocklist.length > 0,
    events: ['sentinel_jailbreak', 'sentinel_blocklist'],
  },
} as const satisfies Record<string, GuardrailFacts>

const rows: readonly GuardrailFacts[] = Object.values(guardrails)

export function areRequestsGuarded(settings: Settings): boolean {
  return rows.some(({ modeField }) => settings[modeField] !== 'disabled')
}

export function areAnswersGuarded(settings: Settings): boolean {
  return rows.some(({ scansAnswers }) => scansAnswers(settings))
}

type Guardrails = typeof guardrails
export type GuardrailName = keyof Guardrails
/** The event types of one guardrail, or of all. */
export type GuardrailEventType<Name extends GuardrailName = GuardrailName> = Guardrails[Name]['events'][number]

export const guardrailNames = Object.keys(guardrails) as readonly GuardrailName[]
export const guardrailEventTypes: readonly GuardrailEventType[] = Object.values(guardrails).flatMap(
  ({ events }): readonly GuardrailEventType[] => events,
)
