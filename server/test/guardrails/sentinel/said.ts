// A text as the only one that a user has said.
import type { UserRun } from '../../../src/guardrails/sentinel/user-texts.ts'

export const said = (...texts: string[]): UserRun[] => [{ said: texts, carried: [] }]
