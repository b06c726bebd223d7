// The families of attempts that the contract names. Knows no phrase.

export const patternFamilies = [
  'ignore_previous',
  'unrestricted_persona',
  'fake_system',
  'bypass_safety',
  'override_system_prompt',
] as const
export type PatternFamily = (typeof patternFamilies)[number]
