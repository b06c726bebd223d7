// Recorded traffic of the providers, where this machine has it: what was sent, what came back, what it means. Knows no
// protocol: the suite gives it what a protocol under test made of it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Delta, FinishReason, Usage } from '../../../src/domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../../src/domain/conversation/prompt.ts'
import type { ProviderError } from '../../../src/domain/conversation/provider-error.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { findSharedData } from '../../support/shared-data.ts'

export interface Fixture {
  file: string
  kind: string
  request: { url: string; body: JsonObject } | null
  response: { status: number; headers: Record<string, string>; body_text?: string; sse?: string }
  expect?: Expected
}

export interface Expected {
  choices?: ExpectedChoice[]
  usage?: ExpectedUsage | null
  stream_error?: { message: string; error_class: string }
  error_class?: string
}

interface ExpectedChoice {
  index: number
  text: string
  reasoning: string
  refusal: string
  tool_plan?: string
  tool_calls: { name: string; arguments: unknown }[]
  finish_reason_any: (FinishReason | null)[]
}

interface ExpectedUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cached_tokens: number | null
  reasoning_tokens: number | null
}

/** The same client's request on two wires. */
export interface Pair {
  file: string
  inbound: JsonObject
  canonical: Canonical
  upstream: { url: string; headers: Record<string, string>; body: JsonObject }
  response: Fixture['response']
  expect: Expected
}

/** What a request says, whatever its wire format. Turns of one role that follow each other are one turn. */
export interface Canonical {
  system: string
  turns: CanonicalTurn[]
  /** Name and sorted names of the properties. */
  tools: [string, string[]][]
  /** `none`, `required`, `named:…`; null for auto and for nothing. */
  tool_choice: string | null
  stream: boolean
  schema: boolean
}

export interface CanonicalTurn {
  role: string
  text: string
  calls: [string, unknown][]
  /** Results belong to a turn of the user. */
  results: string[]
  images: number
  other: string[]
}

export function loadFixtures(provider: string): Fixture[] {
  return load<Fixture>(`fixtures/${provider}`)
}

export function loadPairs(provider: string): Pair[] {
  return load<Pair>(`fixtures/pairs/${provider}`)
}

function load<T>(folder: string): T[] {
  const path = findSharedData(folder)
  if (path === null) return []
  const names = readdirSync(path).filter(name => name.endsWith('.json') && name !== 'index.json')
  return names
    .sort()
    .map(name => ({ ...JSON.parse(readFileSync(join(path, name), 'utf8')), file: `${folder}/${name}` }))
}

export interface Collected {
  choices: CollectedChoice[]
  usage: Usage | null
  error: ProviderError | null
}

export interface CollectedChoice {
  index: number
  text: string
  reasoning: string
  details: ReasoningDetail[]
  refusal: string
  calls: { id: string; name: string; arguments: string; signature?: string }[]
  fields: JsonObject
  finish: FinishReason | null
  native: string | null
}

/** Puts an answer together, and throws where the deltas are not in the order that the contract promises. */
export function collect(deltas: readonly Delta[]): Collected {
  const collected: Collected = { choices: [], usage: null, error: null }
  const choiceOf = (index: number) => {
    const found = collected.choices.find(choice => choice.index === index)
    if (found) return found
    const empty = {
      text: '',
      reasoning: '',
      details: [],
      refusal: '',
      calls: [],
      fields: {},
      finish: null,
      native: null,
    }
    const choice: CollectedChoice = { index, ...empty }
    collected.choices.push(choice)
    return choice
  }
  let phase = 0
  for (const [position, delta] of deltas.entries()) {
    const order = { origin: 0, finish: 2, usage: 3, error: 4 }[delta.type as string] ?? 1
    if (order < phase || (delta.type === 'origin' && position > 0)) throw new Error(`${delta.type} out of order`)
    if (collected.usage || collected.error) throw new Error(`${delta.type} after the end`)
    phase = order
    add(delta, collected, choiceOf)
  }
  collected.choices.sort((a, b) => a.index - b.index)
  return collected
}

function add(delta: Delta, collected: Collected, choiceOf: (index: number) => CollectedChoice): void {
  if (delta.type === 'origin' || delta.type === 'result') return
  if (delta.type === 'usage') collected.usage = delta.usage
  else if (delta.type === 'error') {
    collected.error = delta.error
    collected.usage = delta.usage ?? null
  } else addToChoice(delta, choiceOf(delta.choice))
}

function addToChoice(delta: Extract<Delta, { choice: number }>, choice: CollectedChoice): void {
  switch (delta.type) {
    case 'text':
      choice.text += delta.text
      break
    case 'reasoning':
      choice.reasoning += delta.text
      if (delta.detail) choice.details.push(delta.detail)
      break
    case 'refusal':
      choice.refusal += delta.text
      break
    case 'tool_call': {
      if (delta.call !== choice.calls.length) throw new Error(`call ${delta.call} out of order`)
      const { id, name, arguments: first, signature } = delta
      choice.calls.push({ id, name, arguments: first, ...(signature === undefined ? {} : { signature }) })
      break
    }
    case 'tool_arguments': {
      const call = choice.calls[delta.call]
      if (!call) throw new Error(`arguments of call ${delta.call} before it`)
      call.arguments += delta.text
      break
    }
    case 'fields':
      Object.assign(choice.fields, delta.fields)
      break
    case 'finish':
      if (choice.finish !== null) throw new Error('a second finish')
      choice.finish = delta.reason
      choice.native = delta.native
  }
}
