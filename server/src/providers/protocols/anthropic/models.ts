// What Anthropic's model families accept and reject, as data: the registry has no flags for most of it. A family that
// is not listed is newer than this table and is treated like the newest ones. The registry's own flags take precedence.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'

export interface AnthropicTraits {
  /** With a token budget, or adaptively, guided by an effort. */
  thinking: 'none' | 'budget' | 'adaptive'
  /** How thinking is turned off. `absent`: it is off by default. Null: it cannot be turned off. */
  thinkingOff: 'absent' | 'disabled' | 'between_tools' | null
  /** The words for the efforts above `high`. */
  highEfforts: { xhigh: string; max: string }
  /** A thinking block is rejected if anything before it has changed, unless the request allows that. */
  bindsThinking: boolean
  sampling: 'both' | 'one' | 'none'
  /** `tool_choice` may force a call. */
  forcedTools: boolean
  structuredOutput: boolean
  /** The model continues an assistant's text that comes last. */
  prefill: boolean
  /** System messages may stand between turns. */
  systemTurns: boolean
}

const before37: AnthropicTraits = {
  thinking: 'none',
  thinkingOff: 'absent',
  highEfforts: { xhigh: 'high', max: 'high' },
  bindsThinking: false,
  sampling: 'both',
  forcedTools: true,
  structuredOutput: false,
  prefill: true,
  systemTurns: false,
}
const from37: AnthropicTraits = { ...before37, thinking: 'budget' }
const from41: AnthropicTraits = { ...from37, sampling: 'one' }
const from45: AnthropicTraits = { ...from41, structuredOutput: true }
const from46: AnthropicTraits = {
  ...from45,
  thinking: 'adaptive',
  highEfforts: { xhigh: 'high', max: 'max' },
  prefill: false,
}
const from47: AnthropicTraits = { ...from46, highEfforts: { xhigh: 'xhigh', max: 'max' }, sampling: 'none' }
const from48: AnthropicTraits = { ...from47, systemTurns: true }
const from5: AnthropicTraits = { ...from48, thinkingOff: 'disabled' }
const fable5: AnthropicTraits = { ...from5, thinkingOff: null }
const newest: AnthropicTraits = { ...fable5, bindsThinking: true, forcedTools: false }

/** Models of other vendors behind the same wire format: what most of them accept. */
const otherVendors: AnthropicTraits = from37

/** By name prefix; the first match counts. */
const families: readonly (readonly [string, AnthropicTraits])[] = [
  ['claude-instant', before37],
  ['claude-2', before37],
  ['claude-3-7', from37],
  ['claude-3', before37],
  ['claude-opus-4-0', from37],
  ['claude-opus-4-2025', from37],
  ['claude-sonnet-4-0', from37],
  ['claude-sonnet-4-2025', from37],
  ['claude-opus-4-1', from41],
  ['claude-opus-4-5', from45],
  ['claude-sonnet-4-5', from45],
  ['claude-haiku-4-5', from45],
  ['claude-opus-4-6', from46],
  ['claude-sonnet-4-6', from46],
  ['claude-opus-4-7', from47],
  ['claude-opus-4-8', from48],
  ['claude-haiku-5-5', { ...from5, bindsThinking: true }],
  ['claude-sonnet-5-5', { ...newest, thinkingOff: 'between_tools' }],
  ['claude-opus-5-5', newest],
  ['claude-fable-5-', newest],
  ['claude-mythos-5-', newest],
  ['claude-fable-5', fable5],
  ['claude-mythos', fable5],
  ['claude-opus-5', from5],
  ['claude-sonnet-5', from5],
  ['claude-', newest],
]

export function anthropicTraits(model: string, facts: ModelFacts): AnthropicTraits {
  // Resellers prepend something to the name.
  const name = model.slice(Math.max(0, model.indexOf('claude-')))
  const [, traits] = families.find(([prefix]) => name.startsWith(prefix)) ?? ['', otherVendors]
  return {
    ...traits,
    thinking: facts.reasoning === false ? 'none' : traits.thinking,
    sampling:
      facts.temperature === false ? 'none' : facts.temperature && traits.sampling === 'none' ? 'one' : traits.sampling,
    structuredOutput: facts.structuredOutput ?? traits.structuredOutput,
  }
}
