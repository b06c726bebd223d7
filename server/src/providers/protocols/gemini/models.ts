// What the families of Gemini models accept and reject, as data: the registry has no flags for most of it. A family
// that is not listed is newer than this table and is treated like the newest ones. The registry's own flags take
// precedence.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'

export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high'

export type Thinking =
  | { by: 'nothing' }
  | { by: 'budget'; minTokens: number; maxTokens: number; canBeOff: boolean }
  /** Weakest first. */
  | { by: 'level'; levels: readonly [ThinkingLevel, ...ThinkingLevel[]] }

export interface GeminiTraits {
  thinking: Thinking
  /** A call of an earlier turn is rejected without its signature. */
  needsSignatures: boolean
  /** Temperature and similar fields. */
  sampling: boolean
  penalties: boolean
  /** The model continues its own text that comes last. */
  prefill: boolean
  structuredOutput: boolean
  /** Structured output may be combined with tools. */
  jsonWithTools: boolean
}

const before25: GeminiTraits = {
  thinking: { by: 'nothing' },
  needsSignatures: false,
  sampling: true,
  penalties: true,
  prefill: true,
  structuredOutput: true,
  jsonWithTools: false,
}
const pro25: GeminiTraits = {
  ...before25,
  thinking: { by: 'budget', minTokens: 128, maxTokens: 32_768, canBeOff: false },
}
const flash25: GeminiTraits = {
  ...before25,
  thinking: { by: 'budget', minTokens: 1, maxTokens: 24_576, canBeOff: true },
}
const lite25: GeminiTraits = {
  ...before25,
  thinking: { by: 'budget', minTokens: 512, maxTokens: 24_576, canBeOff: true },
}
const flash3: GeminiTraits = {
  ...before25,
  thinking: { by: 'level', levels: ['minimal', 'low', 'medium', 'high'] },
  needsSignatures: true,
  jsonWithTools: true,
}
const pro3: GeminiTraits = { ...flash3, thinking: { by: 'level', levels: ['low', 'high'] } }
const pro31: GeminiTraits = { ...flash3, thinking: { by: 'level', levels: ['low', 'medium', 'high'] } }
const flash36: GeminiTraits = { ...flash3, penalties: false, prefill: false }
const newest: GeminiTraits = { ...pro31, penalties: false, prefill: false }
const gemma4: GeminiTraits = { ...before25, thinking: { by: 'level', levels: ['minimal', 'high'] } }

/** Models of other vendors behind the same wire format: what most of them accept. */
const otherVendors: GeminiTraits = { ...before25, jsonWithTools: true }

/** By name prefix; the first match counts. */
const families: readonly (readonly [string, GeminiTraits])[] = [
  ['gemini-1', before25],
  ['gemini-2.0', before25],
  ['gemini-2.5-pro', pro25],
  ['gemini-2.5-flash-lite', lite25],
  ['gemini-2.5', flash25],
  ['gemini-3-pro', pro3],
  ['gemini-3-flash', flash3],
  ['gemini-3.1-flash', flash3],
  ['gemini-3.1', pro31],
  ['gemini-3.5-flash-lite', flash36],
  ['gemini-3.5', flash3],
  ['gemini-3.6', flash36],
  ['gemini-', newest],
  ['gemma-4', gemma4],
]

export function geminiTraits(model: string, facts: ModelFacts): GeminiTraits {
  const [, traits] = families.find(([prefix]) => model.startsWith(prefix)) ?? ['', otherVendors]
  return {
    ...traits,
    thinking: facts.reasoning === false ? { by: 'nothing' } : traits.thinking,
    sampling: facts.temperature ?? traits.sampling,
    structuredOutput: facts.structuredOutput ?? traits.structuredOutput,
  }
}
