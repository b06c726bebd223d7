// Decides whether and how much a model thinks, in the two forms of Anthropic's models, within the limit of the output.

import type { ModelFacts } from '../../../domain/conversation/model-facts.ts'
import type { Message, Prompt, ReasoningEffort, ReasoningOptions } from '../../../domain/conversation/prompt.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import { thinkingBelow, thinkingShare } from '../thinking-share.ts'
import type { AnthropicTraits } from './models.ts'
import { hasSignedThinking } from './reasoning-details.ts'
import type { Turn } from './turns.ts'

export interface ThinkingPlan {
  /** Whether the model will think, requested or not. */
  thinks: boolean
  thinking: JsonObject | null
  effort: string | null
  maxTokens: number
}

/** For models whose maximum is unknown. */
const defaultMaxTokens = 8192
const minBudget = 1024
const budgets: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 4096,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
}

export function planThinking(
  prompt: Pick<Prompt, 'messages' | 'maxOutputTokens'> & { reasoning?: ReasoningOptions | undefined },
  facts: ModelFacts,
  traits: AnthropicTraits,
  isForced: boolean,
): ThinkingPlan {
  const limit = prompt.maxOutputTokens ?? facts.maxOutputTokens
  const maxTokens = Math.min(limit ?? defaultMaxTokens, facts.maxOutputTokens ?? Number.POSITIVE_INFINITY)
  const unthinking: ThinkingPlan = { thinks: false, thinking: null, effort: null, maxTokens }
  const options = prompt.reasoning
  const isUnwanted = options?.effort === 'none' || (options?.effort === undefined && options?.maxTokens === 0)
  if (traits.thinking === 'none') return unthinking
  if (traits.thinking === 'adaptive') {
    const replaysBound = traits.bindsThinking && prompt.messages.some(hasThought)
    return planAdaptive(unthinking, options, { isUnwanted, isForced, replaysBound }, traits)
  }
  return options === undefined || isUnwanted || isForced ? unthinking : planBudget(unthinking, options, limit !== null)
}

/** As a client of this format asks for it, if the model takes it in that form; null otherwise. */
export function planOwnThinking(prompt: Prompt, facts: ModelFacts, traits: AnthropicTraits): ThinkingPlan | null {
  if (prompt.format !== 'messages') return null
  const { thinking, output_config: config } = prompt.extra
  const effort = isJsonObject(config) && typeof config['effort'] === 'string' ? config['effort'] : null
  const unasked = planThinking({ ...prompt, reasoning: undefined }, facts, traits, false)
  if (thinking === undefined) return effort === null ? null : { ...unasked, effort }
  const { maxTokens } = unasked
  if (!isJsonObject(thinking) || !mayThink(thinking, maxTokens, traits)) return null
  const thinks = thinking['type'] !== 'disabled'
  const binds = thinks && traits.bindsThinking && prompt.messages.some(hasThought)
  return { thinks, thinking: binds ? { ...dropsBlocks, ...thinking } : thinking, effort, maxTokens }
}

function mayThink({ type, budget_tokens: budget }: JsonObject, maxTokens: number, traits: AnthropicTraits): boolean {
  if (type === 'enabled') return traits.thinking === 'budget' && typeof budget === 'number' && budget < maxTokens
  if (type === 'disabled') return traits.thinkingOff === 'absent' || traits.thinkingOff === 'disabled'
  return type === 'adaptive' ? traits.thinking === 'adaptive' : traits.thinkingOff === type
}

/** A history that was shortened, masked or moved to another model must not cause an error. */
const dropsBlocks = { block_binding: { prefix_mismatch_behavior: 'drop_block' } }

function planAdaptive(
  unthinking: ThinkingPlan,
  options: ReasoningOptions | undefined,
  { isUnwanted, isForced, replaysBound }: Record<'isUnwanted' | 'isForced' | 'replaysBound', boolean>,
  { thinkingOff, highEfforts }: AnthropicTraits,
): ThinkingPlan {
  const binding = replaysBound ? dropsBlocks : {}
  const unasked =
    thinkingOff === 'absent'
      ? unthinking
      : { ...unthinking, thinks: true, thinking: replaysBound ? { type: 'adaptive', ...binding } : null }
  if (thinkingOff !== null && (isUnwanted || isForced)) {
    return thinkingOff === 'absent' ? unthinking : { ...unthinking, thinking: { type: thinkingOff } }
  }
  if (isUnwanted) return { ...unasked, effort: 'low' }
  if (options === undefined) return unasked
  const display = options.isHidden ? 'omitted' : 'summarized'
  return {
    ...unthinking,
    thinks: true,
    thinking: { type: 'adaptive', display, ...binding },
    effort: effortWord(options, highEfforts),
  }
}

function effortWord(
  { effort, maxTokens }: ReasoningOptions,
  { xhigh, max }: AnthropicTraits['highEfforts'],
): string | null {
  if (effort === undefined) {
    if (maxTokens === undefined) return null
    return maxTokens <= 2048 ? 'low' : maxTokens <= 8192 ? 'medium' : 'high'
  }
  const words = { none: 'low', minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh, max }
  return words[effort]
}

/** Thinking counts as output and must not raise its limit: no more than that limit was reserved. */
function planBudget(
  unthinking: ThinkingPlan,
  { effort, maxTokens: asked, isHidden }: ReasoningOptions,
  isLimited: boolean,
): ThinkingPlan {
  const wanted = effort === undefined ? (asked ?? budgets.medium) : budgets[effort]
  const maxTokens = isLimited ? unthinking.maxTokens : defaultMaxTokens + wanted
  // A client that gives a number has divided the tokens itself.
  const isDivided = effort === undefined && asked !== undefined
  const share = isLimited && !isDivided ? (thinkingShare(wanted, maxTokens) ?? wanted) : wanted
  const budget = thinkingBelow(share, maxTokens, minBudget)
  if (budget === null) return unthinking
  const thinking = { type: 'enabled', budget_tokens: budget, ...(isHidden ? { display: 'omitted' } : {}) }
  return { ...unthinking, thinks: true, thinking, maxTokens }
}

function hasThought(message: Message): boolean {
  return message.role === 'assistant' && hasSignedThinking(message.reasoningDetails)
}

/**
 * With a token budget, the provider requires the thinking that led to the calls whose results come last. Returns
 * whether the final chain of calls and results, if the conversation ends in one, begins with signed thinking.
 */
export function endsInSignedChain(turns: readonly Turn[]): boolean {
  let isSigned = true
  let at = turns.length - 1
  while (turns[at]?.content[0]?.['type'] === 'tool_result') {
    isSigned = String(turns[at - 1]?.content[0]?.['type']).endsWith('thinking')
    at -= 2
  }
  return isSigned
}
