// The families of attempts that the contract names, the most telling one first: an attempt to replace the system prompt is
// mostly one to ignore what was said, too. Knows no phrase.

export const patternFamilies = [
  'fake_system',
  'override_system_prompt',
  'unrestricted_persona',
  'bypass_safety',
  'ignore_previous',
] as const
export type PatternFamily = (typeof patternFamilies)[number]
