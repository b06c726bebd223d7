// What the model families on Bedrock accept and reject, as data: Converse has one form for all of them, but ignores or
// rejects what a family does not know. Claude's families are in anthropic/models.ts.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'
import type { ReasoningEffort } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'
import { type AnthropicTraits, anthropicTraits } from '../anthropic/models.ts'

type Effort = 'low' | 'medium' | 'high'

export interface BedrockTraits extends AnthropicTraits {
  isClaude: boolean
  /** Where the field goes that Converse itself does not have; null if the family has none. */
  topK: ((topK: number) => JsonObject) | null
  /** Likewise for the effort of models that are not Claude. */
  effort: ((effort: Effort) => JsonObject) | null
}

const otherVendors: BedrockTraits = {
  isClaude: false,
  thinking: 'none',
  thinkingOff: 'absent',
  highEfforts: { xhigh: 'high', max: 'high' },
  bindsThinking: false,
  sampling: 'both',
  forcedTools: false,
  structuredOutput: false,
  prefill: false,
  systemTurns: false,
  topK: null,
  effort: null,
}
const nova: BedrockTraits = {
  ...otherVendors,
  forcedTools: true,
  topK: topK => ({ inferenceConfig: { topK } }),
}
const nova2: BedrockTraits = {
  ...nova,
  // At its highest effort this family rejects a limit and sampling fields.
  effort: effort => ({
    reasoningConfig: { type: 'enabled', maxReasoningEffort: effort === 'high' ? 'medium' : effort },
  }),
}

/** By the part of the ID after the region and the vendor; the first match counts. */
const families: readonly (readonly [string, BedrockTraits])[] = [
  ['amazon.nova-2', nova2],
  ['amazon.nova', nova],
  ['mistral.mistral-large', { ...otherVendors, forcedTools: true }],
  ['openai.gpt-oss', { ...otherVendors, effort: effort => ({ reasoning_effort: effort }) }],
]

/** `model` may be an ID, an ID of a region's inference profile, or an ARN that contains one of them. */
export function bedrockTraits(model: string, facts: ModelFacts): BedrockTraits {
  if (model.includes('claude-')) {
    const topK = (value: number) => ({ top_k: value })
    return { ...anthropicTraits(model, facts), systemTurns: false, isClaude: true, topK, effort: null }
  }
  const [, traits] = families.find(([name]) => model.includes(name)) ?? ['', otherVendors]
  return {
    ...traits,
    effort: facts.reasoning === false ? null : traits.effort,
    sampling: facts.temperature === false ? 'none' : traits.sampling,
    structuredOutput: facts.structuredOutput ?? traits.structuredOutput,
  }
}

export function effortWord(effort: ReasoningEffort): Effort | null {
  if (effort === 'none') return null
  if (effort === 'minimal' || effort === 'low') return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}
