// The families of attempts that the contract names, the most specific first: an attempt to replace the system prompt is
// usually one to ignore earlier instructions, too.

export const patternFamilies = [
  'fake_system',
  'override_system_prompt',
  'unrestricted_persona',
  'bypass_safety',
  'ignore_previous',
] as const
export type PatternFamily = (typeof patternFamilies)[number]
