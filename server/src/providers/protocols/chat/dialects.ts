// How the providers that share the chat-completions format differ in it, as data.

import type { ReasoningEffort } from '../../../domain/conversation/prompt.ts'

type LimitField = 'max_completion_tokens' | 'max_tokens'

export interface ChatDialect {
  /** Unknown fields of requests, messages and parts are passed on; false if the provider rejects unknown fields. */
  takesUnknownFields: boolean
  limitField: LimitField
  /** The only limit field that reasoning models accept. */
  reasoningLimitField: LimitField
  seedField: 'seed' | 'random_seed'
  endUserField: 'safety_identifier' | 'user' | null
  takesDeveloperRole: boolean
  takesTopK: boolean
  takesLogprobs: boolean
  takesStreamOptions: boolean
  /** Further stop sequences are dropped. */
  maxStops: number
  /** False if a reasoning model rejects stop sequences. */
  reasoningTakesStop: boolean
  /** `reasoning_effort` takes one of the words; `reasoning` is an object that also accepts a number of tokens. */
  effort: { field: 'reasoning_effort' | 'reasoning'; words: Record<ReasoningEffort, string> }
  requiredChoice: 'required' | 'any'
  /** The provider accepts the reasoning of earlier turns in the request. */
  takesReasoningDetails: boolean
  /** Ids of tool calls have nine letters and digits, tools must have parameters, and the order of roles is fixed. */
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

/** For OpenAI-compatible servers at a customer's address: what most of them accept. */
export const openaiLikeDialect: ChatDialect = {
  ...openaiDialect,
  limitField: 'max_tokens',
  endUserField: 'user',
  takesDeveloperRole: false,
  takesTopK: true,
  reasoningTakesStop: true,
}

/** Its versions know no `safety_identifier`, and most of its models no developer role. */
export const azureDialect: ChatDialect = { ...openaiDialect, endUserField: 'user', takesDeveloperRole: false }

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
