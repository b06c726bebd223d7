// What a body on Anthropic's wire says, for comparing a rendered prompt with a recorded request.

import type { JsonObject } from '../../../../src/domain/json-object.ts'
import type { Canonical, CanonicalTurn } from '../fixtures.ts'

interface Block {
  type: string
  text?: string
  name?: string
  input?: unknown
  content?: string | Block[]
}

interface Body {
  system?: string | Block[]
  messages: { role: string; content: string | Block[] }[]
  tools?: { name: string; input_schema?: { properties?: JsonObject } }[]
  tool_choice?: { type: string; name?: string }
  stream?: boolean
  output_format?: unknown
  output_config?: { format?: unknown }
}

/** There is no mode for JSON without a schema: such a wish is put in words. */
const jsonHint = /(?:^|\n\n)Answer with one JSON object alone[^\n]*$/

export function canonicaliseAnthropic({ body }: { body: JsonObject }): Canonical {
  const {
    system = '',
    messages,
    tools = [],
    tool_choice,
    stream,
    output_format,
    output_config,
  } = body as unknown as Body
  const instructions = textOf(system).trim()
  return {
    system: instructions.replace(jsonHint, ''),
    turns: turnsOf(messages),
    tools: tools
      .map(({ name, input_schema }): [string, string[]] => [name, Object.keys(input_schema?.properties ?? {}).sort()])
      .sort(byName),
    tool_choice: choiceOf(tool_choice),
    stream: stream === true,
    schema: Boolean(output_format ?? output_config?.format) || jsonHint.test(instructions),
  }
}

function turnsOf(messages: Body['messages']): CanonicalTurn[] {
  const turns: CanonicalTurn[] = []
  for (const { role, content } of messages) {
    let turn = turns.at(-1)
    if (turn?.role !== role) {
      turn = { role, text: '', calls: [], results: [], images: 0, other: [] }
      turns.push(turn)
    }
    for (const block of typeof content === 'string' ? [{ type: 'text', text: content }] : content) addBlock(block, turn)
  }
  return turns
}

function addBlock(block: Block, turn: CanonicalTurn): void {
  switch (block.type) {
    case 'text':
      turn.text += (turn.text && '\n') + (block.text ?? '')
      break
    case 'tool_use':
      turn.calls.push([block.name ?? '', block.input])
      break
    case 'tool_result':
      turn.results.push(textOf(block.content ?? ''))
      break
    case 'image':
      turn.images++
      break
    default:
      turn.other.push(block.type)
  }
}

function textOf(content: string | Block[]): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
}

function choiceOf(choice: Body['tool_choice']): string | null {
  switch (choice?.type) {
    case 'any':
      return 'required'
    case 'none':
      return 'none'
    case 'tool':
      return `named:${choice.name}`
    default:
      return null
  }
}

function byName([a]: [string, string[]], [b]: [string, string[]]): number {
  return a < b ? -1 : 1
}
