// What an OpenAI client sees of an answer: the events as an inbound surface hands them on, raw where they may pass and
// rendered elsewhere, read again the way clients read them. A reader of its own, so that the product's cannot hide a
// fault.

import type { AnswerEvent } from '../../../src/domain/conversation/answer.ts'
import { createChunkWriter, renderCompletion } from '../../../src/surfaces/chat-completions/completion-chunks.ts'

const identity = { id: 'chatcmpl-own', createdSeconds: 1_700_000_000, model: 'own' }

interface ClientCall {
  id: string
  name: string
  arguments: string
}

export interface ClientChoice {
  index: number
  role: string | null
  text: string
  reasoning: string
  refusal: string
  calls: ClientCall[]
  finish: string | null
}

export interface ClientView {
  choices: ClientChoice[]
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null
}

interface Piece {
  role?: string
  content?: string | null
  refusal?: string | null
  reasoning_content?: string
  tool_calls?: { index?: number; id?: string; type?: string; function?: { name?: string; arguments?: string } }[]
}

interface Chunk {
  id: unknown
  object: unknown
  created: unknown
  model: unknown
  choices: { index: number; delta?: Piece; message?: Piece; finish_reason: string | null }[]
  usage?: ClientView['usage']
}

/** The text of a stream, up to a fault. */
export function streamText(events: readonly AnswerEvent[]): string {
  const writer = createChunkWriter(identity, { includeUsage: true })
  let text = ''
  for (const { deltas, raw } of events) {
    if (raw !== null) {
      writer.notePassed(deltas)
      text += Buffer.from(raw).toString()
    } else {
      const chunks = deltas.flatMap(delta => writer.write(delta))
      text += chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    }
  }
  return text
}

export function viewStream(text: string): ClientView {
  const chunks = text
    .split(/\r\n|\r|\n/)
    .filter(line => line.startsWith('data:'))
    .map((line): Chunk => JSON.parse(line.slice('data:'.length)))
  const names = new Set(chunks.map(({ id, object, created, model }) => JSON.stringify([id, object, created, model])))
  if (names.size > 1) throw new Error(`changing names: ${[...names].join()}`)
  return view(chunks)
}

export function viewPlain({ raw, deltas }: AnswerEvent): ClientView {
  const text = raw === null ? JSON.stringify(renderCompletion(identity, deltas)) : Buffer.from(raw).toString()
  return view([JSON.parse(text)])
}

function view(chunks: readonly Chunk[]): ClientView {
  const choices = new Map<number, ClientChoice>()
  let usage: ClientView['usage'] = null
  for (const chunk of chunks) {
    if (chunk.usage) usage = chunk.usage
    for (const { index, delta, message, finish_reason } of chunk.choices) {
      const empty = { index, role: null, text: '', reasoning: '', refusal: '', calls: [], finish: null }
      const choice = choices.get(index) ?? empty
      choices.set(index, choice)
      if (choice.finish !== null) throw new Error(`choice ${index} goes on after its finish`)
      readPiece(choice, delta ?? message ?? {})
      choice.finish = finish_reason
    }
  }
  return { choices: [...choices.values()].sort((a, b) => a.index - b.index), usage }
}

function readPiece(choice: ClientChoice, piece: Piece): void {
  if (piece.role !== undefined) {
    if (choice.role !== null) throw new Error(`choice ${choice.index} has its role twice`)
    choice.role = piece.role
  }
  if (choice.role !== 'assistant') throw new Error(`choice ${choice.index} begins without its role`)
  choice.text += piece.content ?? ''
  choice.refusal += piece.refusal ?? ''
  choice.reasoning += piece.reasoning_content ?? ''
  for (const [position, { index = position, id, type, function: called }] of (piece.tool_calls ?? []).entries()) {
    const call = choice.calls[index]
    if (call) call.arguments += called?.arguments ?? ''
    else {
      if (index !== choice.calls.length || !id || type !== 'function' || !called?.name) {
        throw new Error(`call ${index} begins badly`)
      }
      choice.calls.push({ id, name: called.name, arguments: called.arguments ?? '' })
    }
  }
}
