// What a body on the Gemini wire says, for comparing a rendered prompt with a recorded request. Takes both spellings of
// names and both forms of schemas.

import type { JsonObject } from '../../../../src/domain/json-object.ts'
import type { Canonical, CanonicalTurn } from '../fixtures.ts'

type Part = JsonObject & { text?: string; thought?: boolean }
interface Content {
  role: string
  parts: Part[]
}
interface Declaration {
  name: string
  [schema: string]: unknown
}

export function canonicaliseGemini({ url, body }: { url: string; body: JsonObject }): Canonical {
  const tools = (body['tools'] ?? []) as {
    functionDeclarations?: Declaration[]
    function_declarations?: Declaration[]
  }[]
  const declared = tools.flatMap(tool => tool.functionDeclarations ?? tool.function_declarations ?? [])
  const config = (body['generationConfig'] ?? {}) as JsonObject
  return {
    system: systemOf(body['systemInstruction'] as { parts: Part | Part[] } | null | undefined),
    turns: turnsOf(body['contents'] as Content[]),
    tools: declared.map((tool): [string, string[]] => [tool.name, propertiesOf(tool)]).sort(byName),
    tool_choice: choiceOf(body['toolConfig'] as JsonObject | null | undefined, declared.length),
    stream: url.includes(':streamGenerateContent'),
    schema: config['responseMimeType'] === 'application/json',
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function systemOf(instruction: { parts: Part | Part[] } | null | undefined): string {
  return [instruction?.parts ?? []]
    .flat()
    .flatMap(({ text }) => text ?? [])
    .join('\n\n')
}

function propertiesOf(tool: Declaration): string[] {
  const schema = tool['parametersJsonSchema'] ?? tool['parameters_json_schema'] ?? tool['parameters']
  return Object.keys((schema as { properties?: JsonObject } | undefined)?.properties ?? {}).sort()
}

function turnsOf(contents: Content[]): CanonicalTurn[] {
  const turns: CanonicalTurn[] = []
  for (const { role: native, parts } of contents) {
    const role = native === 'model' ? 'assistant' : native
    let turn = turns.at(-1)
    if (turn?.role !== role) {
      turn = { role, text: '', calls: [], results: [], images: 0, other: [] }
      turns.push(turn)
    }
    for (const part of parts) addPart(part, turn)
  }
  return turns
}

function addPart(part: Part, turn: CanonicalTurn): void {
  const { text, thought, functionCall, functionResponse } = part
  const media = (part['inlineData'] ?? part['inline_data'] ?? part['fileData']) as JsonObject | undefined
  if (functionCall) {
    const { name, args } = functionCall as { name: string; args?: JsonObject }
    turn.calls.push([name, args ?? {}])
  } else if (functionResponse) {
    turn.results.push(resultOf((functionResponse as { response: JsonObject }).response))
  } else if (media) {
    const type = String(media['mimeType'] ?? media['mime_type'])
    if (type.startsWith('image/')) turn.images++
    else turn.other.push('file')
  } else if (thought) turn.other.push('thinking')
  else turn.text += turn.text && text ? `\n${text}` : (text ?? '')
}

/** Each client wraps what its tool said in its own way. */
function resultOf(response: JsonObject): string {
  const { content } = response
  if (Array.isArray(content)) return content.map((part: { text?: string }) => part.text ?? '').join('')
  const [value] = Object.values(response)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function choiceOf(config: JsonObject | null | undefined, toolCount: number): string | null {
  const { mode, allowedFunctionNames } = (config?.['functionCallingConfig'] ?? {}) as {
    mode?: string
    allowedFunctionNames?: string[]
  }
  if (mode === 'NONE') return 'none'
  if (mode !== 'ANY') return null
  const [name, ...others] = allowedFunctionNames ?? []
  const isOne = name !== undefined && others.length === 0 && toolCount > 0
  return isOne ? `named:${name}` : 'required'
}
