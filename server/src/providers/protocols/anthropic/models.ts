// What Anthropic's model families take and refuse, as data: the registry has no flags for most of it. A family that is
// not listed is newer than this table, and is asked as the newest ones are. The registry's own flags come first.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'

export interface AnthropicTraits {
  /** With a number of tokens set aside, or as much as the model sees fit, guided by an effort. */
  thinking: 'none' | 'budget' | 'adaptive'
  /** How thinking is turned off. `absent`: it is off where nobody asks for it. Null: it cannot be. */
  thinkingOff: 'absent' | 'disabled' | 'between_tools' | null
  /** The words for the efforts above `high`. */
  highEfforts: { xhigh: string; max: string }
  /** A block of thinking is refused where anything before it has changed, unless the request says otherwise. */
  bindsThinking: boolean
  sampling: 'both' | 'one' | 'none'
  /** `tool_choice` may demand a call. */
  forcedTools: boolean
  structuredOutput: boolean
  /** The model goes on with an assistant's text that comes last. */
  prefill: boolean
  /** Instructions may stand between the turns. */
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

/** Somebody else's models behind the same wire: what most of them take. */
const foreign: AnthropicTraits = from37

/** By the beginning of the name; the first that fits. */
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
  // Resellers put something in front of the name.
  const name = model.slice(Math.max(0, model.indexOf('claude-')))
  const [, traits] = families.find(([prefix]) => name.startsWith(prefix)) ?? ['', foreign]
  return {
    ...traits,
    thinking: facts.reasoning === false ? 'none' : traits.thinking,
    sampling:
      facts.temperature === false ? 'none' : facts.temperature && traits.sampling === 'none' ? 'one' : traits.sampling,
    structuredOutput: facts.structuredOutput ?? traits.structuredOutput,
  }
}
