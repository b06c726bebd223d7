// What a body of the Responses API says, for comparing a rendered prompt with what a client asked.

import type { JsonObject } from '../../../../src/domain/json-object.ts'
import type { Canonical, CanonicalTurn } from '../fixtures.ts'

interface Item {
  type?: string
  role?: string
  content?: string | Part[]
  name?: string
  arguments?: string
  output?: string | Part[]
}

interface Part {
  type: string
  text?: string
}

export function canonicaliseResponses({ body }: { body: JsonObject }): Canonical {
  const input = body['input'] as string | Item[]
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const tools = (body['tools'] ?? []) as { name: string; parameters?: { properties?: JsonObject } }[]
  const format = (body['text'] as { format?: { type: string } } | undefined)?.format
  const instructions = typeof body['instructions'] === 'string' ? [body['instructions']] : []
  return {
    system: [...instructions, ...items.filter(isInstruction).map(({ content }) => textOf(content))].join('\n\n'),
    turns: turnsOf(items.filter(item => !isInstruction(item))),
    tools: tools.map(({ name, parameters }) => [name, Object.keys(parameters?.properties ?? {}).sort()]),
    tool_choice: choiceOf(body['tool_choice']),
    stream: body['stream'] === true,
    schema: format?.type === 'json_schema',
  }
}

function turnsOf(items: readonly Item[]): CanonicalTurn[] {
  const turns: CanonicalTurn[] = []
  for (const item of items) {
    const isModels = item.role === 'assistant' || item.type === 'function_call' || item.type === 'reasoning'
    const role = isModels ? 'assistant' : 'user'
    let turn = turns.at(-1)
    if (turn?.role !== role) {
      turn = { role, text: '', calls: [], results: [], images: 0, other: [] }
      turns.push(turn)
    }
    addItem(item, turn)
  }
  return turns
}

function addItem(item: Item, turn: CanonicalTurn): void {
  switch (item.type) {
    case 'function_call':
      turn.calls.push([item.name ?? '', JSON.parse(item.arguments ?? '')])
      break
    case 'function_call_output':
      turn.results.push(textOf(item.output))
      break
    case 'message':
    case undefined: {
      turn.text += textOf(item.content)
      const types = Array.isArray(item.content) ? item.content.map(({ type }) => type) : []
      turn.images += types.filter(type => type === 'input_image').length
      turn.other.push(...types.filter(type => type !== 'input_image' && !type.endsWith('_text')))
      break
    }
    default:
      turn.other.push(item.type)
  }
}

function isInstruction({ role }: Item): boolean {
  return role === 'system' || role === 'developer'
}

function textOf(content: string | Part[] | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')
}

function choiceOf(choice: unknown): string | null {
  if (typeof choice === 'string') return choice === 'auto' ? null : choice
  const name = (choice as { name?: string } | undefined)?.name
  return name === undefined ? null : `named:${name}`
}
