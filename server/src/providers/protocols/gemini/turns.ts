// Writes the messages of a prompt as Gemini's contents: the results of a turn's calls stand together right after it,
// one for each call, under the call's name. A conversation that breaks this rule is changed to follow it.

import { type AssistantMessage, type Message, textOf } from '../../../domain/conversation/prompt.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { argumentsOf } from '../call-arguments.ts'
import { type Exchange, exchangesOf, type NonModelMessage, splitInstructions } from '../tool-exchanges.ts'
import type { GeminiTraits } from './models.ts'
import { assistantParts, contentParts, textParts } from './parts.ts'
import { callSignatures, readSignatures } from './signatures.ts'

interface Turn {
  role: 'user' | 'model'
  parts: JsonObject[]
}

type Traits = Pick<GeminiTraits, 'needsSignatures' | 'prefill'>

export interface GeminiConversation {
  /** The instructions before all turns. */
  instructions: string[]
  turns: Turn[]
}

/** Added if the conversation was cut at its beginning, or ends in a turn that the model cannot continue. */
const beginning = '(Earlier messages are not shown.)'
const goOn = 'Continue.'

export function renderConversation(messages: readonly Message[], traits: Traits): GeminiConversation {
  const { leading, rest } = splitInstructions(messages)
  const instructions = leading.map(({ content }) => textOf(content, '\n')).filter(text => text.trim() !== '')
  const turns: Turn[] = []
  for (const { results, others, turn } of exchangesOf(rest)) {
    const responses = results.map(writeResponse)
    if (responses.length > 0) turns.push({ role: 'user', parts: responses })
    addTurn(turns, 'user', [...results.flatMap(mediaOf), ...others.flatMap(writeReply)])
    if (turn !== null) addTurn(turns, 'model', writeAssistant(turn, traits))
  }
  // If the prompt has only instructions, the last one becomes the user's message.
  if (turns.length === 0) turns.push({ role: 'user', parts: [{ text: instructions.pop() ?? '' }] })
  if (turns[0]?.role === 'model') turns.unshift({ role: 'user', parts: [{ text: beginning }] })
  if (turns.at(-1)?.role === 'model' && !traits.prefill) turns.push({ role: 'user', parts: [{ text: goOn }] })
  return { instructions, turns }
}

function addTurn(turns: Turn[], role: Turn['role'], parts: JsonObject[]): void {
  const last = turns.at(-1)
  if (parts.length === 0) return
  // Results of calls must not be merged with other parts.
  if (last?.role === role && last.parts[0]?.['functionResponse'] === undefined) {
    // A spread into push could overflow the stack.
    for (const part of parts) last.parts.push(part)
  } else turns.push({ role, parts })
}

function writeAssistant(message: AssistantMessage, { needsSignatures }: Traits): JsonObject[] {
  const { content, refusal, reasoningDetails, toolCalls } = message
  const signatures = readSignatures(reasoningDetails)
  const parts = assistantParts(content)
  const texts = parts.length === 0 && refusal !== undefined ? textParts(refusal) : parts
  const ofCalls = callSignatures(toolCalls, signatures.ofCalls, needsSignatures)
  return [
    ...signatures.thoughts,
    ...withSignature(texts, signatures.ofText),
    ...toolCalls.map((call, index) =>
      omitAbsent({
        functionCall: { id: call.id, name: call.name, args: argumentsOf(call) },
        thoughtSignature: ofCalls[index] ?? undefined,
      }),
    ),
  ]
}

/** A text's signature goes to its last part; without any text it is a part of its own. */
function withSignature(texts: readonly JsonObject[], signature: string | null): JsonObject[] {
  if (signature === null) return [...texts]
  return [...texts.slice(0, -1), { text: '', ...texts.at(-1), thoughtSignature: signature }]
}

/** Always as text: parsing it as JSON could change the digits of numbers. */
function writeResponse({ call: { id, name }, message }: Exchange['results'][number]): JsonObject {
  const text = message === null ? 'No result.' : textOf(message.content, '\n')
  const response = message === null || message.isError === true ? { error: text } : { output: text }
  return { functionResponse: { id, name, response } }
}

/** The parts of a result that are not text: only the newest families accept them inside the response. */
function mediaOf({ message }: Exchange['results'][number]): JsonObject[] {
  return contentParts(message?.content ?? null).filter(part => part['text'] === undefined)
}

function writeReply(reply: NonModelMessage): JsonObject[] {
  switch (reply.role) {
    case 'user':
      return contentParts(reply.content)
    case 'tool': {
      // A result whose call is no longer in the conversation.
      const parts = contentParts(reply.content)
      return parts.length === 0 ? [] : [{ text: 'The result of a tool:' }, ...parts]
    }
    default:
      return textParts(textOf(reply.content, '\n'))
  }
}
