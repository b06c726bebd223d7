// A text as the only one that a user has said.
import type { RunTexts } from '../../../src/guardrails/sentinel/text-runs.ts'

export const said = (...texts: string[]): RunTexts[] => [{ parts: texts, otherTexts: [] }]
