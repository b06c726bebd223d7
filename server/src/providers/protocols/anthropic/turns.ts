// Writes the messages of a prompt as Anthropic's turns: user and assistant alternate, the user is first, and the
// results of calls come first in the next turn. A conversation that breaks these rules is changed to follow them.

import { hash } from 'node:crypto'
import { findClaudeThinking } from '../../../domain/conversation/claude-reasoning.ts'
import {
  type AssistantMessage,
  type BlockKind,
  type Content,
  type Message,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { argumentsOf } from '../call-arguments.ts'
import { splitInstructions } from '../tool-exchanges.ts'
import { assistantBlocks, contentBlocks, textBlocks } from './content.ts'
import { thinkingBlocks } from './reasoning-details.ts'

export interface Turn {
  role: 'user' | 'assistant' | 'system'
  content: JsonObject[]
}

interface TurnRules {
  /** Unknown fields and parts of unknown kind are of this format. */
  isOwn: boolean
  /** Thinking is returned only to the provider it came from. */
  keepsThinking: boolean
  systemTurns: boolean
  prefill: boolean
}

export interface AnthropicConversation {
  /** The instructions before all turns, as text blocks. */
  instructions: JsonObject[]
  turns: Turn[]
}

/** Added if the conversation was cut at its beginning, or ends in a turn that the model cannot continue. */
const beginning = '(Earlier messages are not shown.)'
const goOn = 'Continue.'

export function renderConversation(messages: readonly Message[], rules: TurnRules): AnthropicConversation {
  const { leading, rest } = splitInstructions(messages)
  const instructions = leading.flatMap(({ content }) => instructionBlocks(content, rules))
  // If the prompt has only instructions, the last one becomes the user's message.
  const asked = rest.length === 0 ? instructions.splice(-1) : []
  const spoken = asked.map(block => ({ role: 'user' as const, content: [block] }))
  const written = [...spoken, ...writeTurns(rest, rules)].filter(hasContent)
  const paired = pairResults(mergeTurns(placeSystemTurns(written, rules)))
  // Pairing may have removed the message that an instruction followed.
  const turns = mergeTurns(placeSystemTurns(paired, rules))
  if (turns.length === 0) {
    throw new Refusal('invalid_request', { message: 'messages must say something', param: 'messages' })
  }
  return { instructions, turns: withUserAtBothEnds(turns, rules) }
}

function writeTurns(messages: readonly Message[], rules: TurnRules): Turn[] {
  const freeId = createFreeIds()
  /** By the client's id, which may stand for several calls: results are assigned in the order of the calls. */
  const waiting = new Map<string, Iterator<string>>()
  return messages.map(message => {
    switch (message.role) {
      case 'assistant': {
        const ids = message.toolCalls.map(({ id }) => freeId(id))
        const idsByClients = Map.groupBy(ids, (_, index) => message.toolCalls[index]?.id ?? '')
        for (const [id, free] of idsByClients) waiting.set(id, free.values())
        return { role: 'assistant', content: writeAssistant(message, ids, rules) }
      }
      case 'tool':
        return { role: 'user', content: [toolResult(nextOf(waiting.get(message.toolCallId)) ?? '', message, rules)] }
      case 'user':
        return { role: 'user', content: contentBlocks(message.content, rules.isOwn) }
      default:
        return { role: 'system', content: instructionBlocks(message.content, rules) }
    }
  })
}

/** In their own format, the parts of an instruction stay apart: each may end a cached prefix. */
function instructionBlocks(content: Content, { isOwn }: TurnRules): JsonObject[] {
  return isOwn && typeof content !== 'string' ? contentBlocks(content, true) : textBlocks(textOf(content, '\n'))
}

function writeAssistant(message: AssistantMessage, ids: readonly string[], rules: TurnRules): JsonObject[] {
  const { content, refusal, reasoningDetails, toolCalls, order } = message
  const blocks = assistantBlocks(content, rules.isOwn)
  const calls = toolCalls.map((call, index) => writeCall(call, ids[index], rules))
  if (order !== undefined) {
    const thought = rules.keepsThinking ? reasoningDetails.flatMap(detail => findClaudeThinking(detail) ?? []) : []
    return inOrder(order, {
      reasoning: thought.map(block => [{ ...block }]),
      part: blocks,
      call: calls.map(call => [call]),
    })
  }
  const thinking = rules.keepsThinking ? thinkingBlocks(reasoningDetails) : { before: [], after: [] }
  const texts = blocks.flat()
  return [
    ...thinking.before,
    ...(texts.length === 0 && refusal !== undefined ? textBlocks(refusal) : texts),
    ...thinking.after,
    ...calls,
  ]
}

/** Blocks that the order does not name come where they usually stand. */
function inOrder(order: readonly BlockKind[], blocks: Record<BlockKind, JsonObject[][]>): JsonObject[] {
  const placed: Record<BlockKind, number> = { reasoning: 0, part: 0, call: 0 }
  const ordered = order.flatMap(kind => blocks[kind][placed[kind]++] ?? [])
  const restOf = (kind: BlockKind) => blocks[kind].slice(placed[kind]).flat()
  return [...restOf('reasoning'), ...ordered, ...restOf('part'), ...restOf('call')]
}

function writeCall(call: ToolCall, id: string | undefined, { isOwn }: TurnRules): JsonObject {
  const written = { type: 'tool_use', id, name: call.name, input: argumentsOf(call) }
  return isOwn ? { ...written, ...call.extra } : written
}

function toolResult(id: string, { content, isError, extra }: ToolMessage, { isOwn }: TurnRules): JsonObject {
  const blocks = contentBlocks(content, isOwn)
  return omitAbsent({
    type: 'tool_result',
    tool_use_id: id,
    content: blocks.length === 0 ? undefined : blocks,
    is_error: isError,
    ...(isOwn ? extra : {}),
  })
}

function nextOf(ids: Iterator<string> | undefined): string | undefined {
  const next = ids?.next()
  return next?.done ? undefined : next?.value
}

/** Creates ids of the allowed characters, unique in this conversation and the same each time. */
function createFreeIds(): (id: string) => string {
  const inUse = new Set<string>()
  /** How often the client has used an id: searching from the first suffix each time would be quadratic. */
  const counts = new Map<string, number>()
  return id => {
    let count = counts.get(id) ?? 0
    let free: string
    do {
      count++
      if (count > 1) free = `call_${hashOf(`${count} ${id}`)}`
      else free = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${hashOf(id)}`
    } while (inUse.has(free))
    counts.set(id, count)
    inUse.add(free)
    return free
  }
}

function hashOf(text: string): string {
  return hash('sha256', text).slice(0, 24)
}

/** An instruction stays a system turn after a user's turn and before an assistant's; elsewhere it becomes user text. */
function placeSystemTurns(turns: readonly Turn[], { systemTurns }: TurnRules): Turn[] {
  /** Whether a user's turn comes next, instructions aside. */
  const isBeforeUser: boolean[] = []
  let next: Turn['role'] | undefined
  for (let index = turns.length - 1; index >= 0; index--) {
    isBeforeUser[index] = next === 'user'
    if (turns[index]?.role !== 'system') next = turns[index]?.role
  }
  let before: Turn['role'] | undefined
  return turns.map((turn, index) => {
    const keepsRank = systemTurns && !isBeforeUser[index] && (before === 'user' || before === 'system')
    const placed: Turn = turn.role === 'system' && !keepsRank ? { ...turn, role: 'user' } : turn
    before = placed.role
    return placed
  })
}

function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const { role, content } of turns) {
    const last = merged.at(-1)
    // A spread into push could overflow the stack.
    if (last?.role === role) for (const block of content) last.content.push(block)
    else merged.push({ role, content: [...content] })
  }
  return merged
}

/** Gives each call its result right after it, and each result its call right before it. */
function pairResults(turns: readonly Turn[]): Turn[] {
  const paired: Turn[] = []
  let open: string[] = []
  for (const turn of turns) {
    if (turn.role === 'user' || open.length > 0) {
      const isAnswer = turn.role === 'user'
      paired.push({ role: 'user', content: withResults(isAnswer ? turn.content : [], open) })
      if (!isAnswer) paired.push(turn)
    } else paired.push(turn)
    open = turn.role === 'assistant' ? callIds(turn) : []
  }
  if (open.length > 0) paired.push({ role: 'user', content: withResults([], open) })
  return paired.filter(hasContent)
}

function withResults(content: readonly JsonObject[], open: readonly string[]): JsonObject[] {
  const missing = new Set(open)
  const results: JsonObject[] = []
  const others: JsonObject[] = []
  for (const block of content) {
    if (block['type'] !== 'tool_result') others.push(block)
    else if (missing.delete(String(block['tool_use_id']))) results.push(block)
    else for (const blocks of strayResult(block)) others.push(blocks)
  }
  const unanswered = [...missing].map(id => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'No result.',
    is_error: true,
  }))
  return [...results, ...unanswered, ...others]
}

/** A result whose call is no longer in the conversation. */
function strayResult({ content }: JsonObject): JsonObject[] {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  return blocks.length === 0 ? [] : [...textBlocks('The result of a tool:'), ...blocks]
}

function withUserAtBothEnds(turns: Turn[], { prefill }: TurnRules): Turn[] {
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: textBlocks(beginning) })
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return turns
  if (!prefill) return [...turns, { role: 'user', content: textBlocks(goOn) }]
  const text = last.content.at(-1)
  if (typeof text?.['text'] === 'string') {
    last.content[last.content.length - 1] = { ...text, text: text['text'].trimEnd() }
  }
  return turns
}

function callIds({ content }: Turn): string[] {
  return content.flatMap(block => (block['type'] === 'tool_use' ? [String(block['id'])] : []))
}

function hasContent({ content }: Turn): boolean {
  return content.length > 0
}
