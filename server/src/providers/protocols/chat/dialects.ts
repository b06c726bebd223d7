// How the providers that share the chat-completions format differ in it, as data. Knows no address and no model.

import type { ReasoningEffort } from '../../../domain/conversation/prompt.ts'

type LimitField = 'max_completion_tokens' | 'max_tokens'

export interface ChatDialect {
  /** Unknown fields of requests, messages and parts go along; false where any such field is refused. */
  takesUnknownFields: boolean
  limitField: LimitField
  /** The only one that models which reason take. */
  reasoningLimitField: LimitField
  seedField: 'seed' | 'random_seed'
  endUserField: 'safety_identifier' | 'user' | null
  takesDeveloperRole: boolean
  takesTopK: boolean
  takesLogprobs: boolean
  takesStreamOptions: boolean
  /** Of more than so many stop sequences the first are sent. */
  maxStops: number
  /** False where a model that reasons refuses stop sequences. */
  reasoningTakesStop: boolean
  /** As a word of its own, or as an object that also takes a number of tokens; null for efforts it has no word for. */
  effort: { field: 'reasoning_effort' | 'reasoning'; words: Record<ReasoningEffort, string> }
  requiredChoice: 'required' | 'any'
  /** Its models get back what they reasoned in earlier turns. */
  takesReasoningDetails: boolean
  /** Ids of tool calls have nine letters and digits, tools have parameters, and roles follow each other in an order. */
  isStrict: boolean
}

const openaiEfforts = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
} as const

export const openaiDialect: ChatDialect = {
  takesUnknownFields: true,
  limitField: 'max_completion_tokens',
  reasoningLimitField: 'max_completion_tokens',
  seedField: 'seed',
  endUserField: 'safety_identifier',
  takesDeveloperRole: true,
  takesTopK: false,
  takesLogprobs: true,
  takesStreamOptions: true,
  maxStops: Number.POSITIVE_INFINITY,
  reasoningTakesStop: false,
  effort: { field: 'reasoning_effort', words: openaiEfforts },
  requiredChoice: 'required',
  takesReasoningDetails: false,
  isStrict: false,
}

/** Whoever speaks OpenAI's format at an address of the customer's: what most such servers take. */
export const openaiLikeDialect: ChatDialect = {
  ...openaiDialect,
  limitField: 'max_tokens',
  endUserField: 'user',
  takesDeveloperRole: false,
  takesTopK: true,
  reasoningTakesStop: true,
}

export const openrouterDialect: ChatDialect = {
  takesUnknownFields: true,
  limitField: 'max_tokens',
  reasoningLimitField: 'max_tokens',
  seedField: 'seed',
  endUserField: 'user',
  takesDeveloperRole: true,
  takesTopK: true,
  takesLogprobs: true,
  takesStreamOptions: true,
  maxStops: 4,
  reasoningTakesStop: true,
  effort: { field: 'reasoning', words: openaiEfforts },
  requiredChoice: 'required',
  takesReasoningDetails: true,
  isStrict: false,
}

export const mistralDialect: ChatDialect = {
  takesUnknownFields: false,
  limitField: 'max_tokens',
  reasoningLimitField: 'max_tokens',
  seedField: 'random_seed',
  endUserField: null,
  takesDeveloperRole: false,
  takesTopK: false,
  takesLogprobs: false,
  takesStreamOptions: false,
  maxStops: Number.POSITIVE_INFINITY,
  reasoningTakesStop: true,
  effort: {
    field: 'reasoning_effort',
    words: { none: 'none', minimal: 'none', low: 'high', medium: 'high', high: 'high', xhigh: 'high', max: 'high' },
  },
  requiredChoice: 'any',
  takesReasoningDetails: false,
  isStrict: true,
}
