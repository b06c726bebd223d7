// Random arguments and schemas whose digits, escapes and repeated members must not change, and requests that have them in
// each format.
import { randomInt } from 'node:crypto'
import type { Stage, TestProject } from '../inference/inference-stage.ts'

const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)]!
export const digits = (count: number) => Array.from({ length: count }, () => randomInt(1, 10)).join('')
const blanks = ['', '', ' ', '\n\t']

export function randomValue(depth = 0): string {
  switch (randomInt(depth < 2 ? 8 : 6)) {
    case 0:
      return `${pick(['', '-'])}${digits(randomInt(1, 31))}`
    case 1:
      return pick(['1.0', '1e3', '-0', '1E+2', '0.10', '12345678901234567890.5', '1e400', 'true', 'null'])
    case 2:
      return pick(['"\\u0041\\u00e9"', '"a\\/b"', '"\\ud83d\\ude00"', '"😀 é"', '"\\"\\\\u0041\\""', '"\\u0000"'])
    case 3:
      return `"${digits(4)}"`
    case 4:
      return '[]'
    case 5:
      return '{ }'
    case 6:
      return randomObject(depth + 1)
    default:
      return `[${Array.from({ length: randomInt(4) }, () => randomValue(depth + 1)).join(pick([',', ' , ']))}]`
  }
}

/** Some of its members have one name. */
export function randomObject(depth = 0): string {
  const members = Array.from({ length: randomInt(1, 6) }, () => {
    const name = pick(['id', 'a', '\\u0062', 'maximum', 'input', 'x y'])
    return `${pick(blanks)}"${name}"${pick(blanks)}:${pick(blanks)}${randomValue(depth)}`
  })
  return `{${members.join(',')}${pick(blanks)}}`
}

export const escaped = (json: string) => JSON.stringify(json).slice(1, -1)
/** Whether the text says this as a value, or as a string with the value's text. */
export const carries = (text: string, json: string) => text.includes(json) || text.includes(escaped(json))

interface Asked {
  args: string
  schema: string
  isStreamed: boolean
}

export const surfaces = {
  'chat completions': {
    path: '/v1/chat/completions',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"messages":[{"role":"user","content":"Hi"},
      {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"${escaped(args)}"}}]},
      {"role":"tool","tool_call_id":"call_1","content":"ok"}],
      "tools":[{"type":"function","function":{"name":"find","parameters":${schema}}}]}`,
  },
  messages: {
    path: '/v1/messages',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"max_tokens":100,"messages":[
      {"role":"user","content":"Hi"},
      {"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"find","input":${args}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]}],
      "tools":[{"name":"find","input_schema":${schema}}]}`,
  },
  responses: {
    path: '/v1/responses',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"store":false,"input":[
      {"role":"user","content":"Hi"},
      {"type":"function_call","call_id":"call_1","name":"find","arguments":"${escaped(args)}"},
      {"type":"function_call_output","call_id":"call_1","output":"ok"}],
      "tools":[{"type":"function","name":"find","parameters":${schema}}]}`,
  },
} as const
export type SurfaceName = keyof typeof surfaces

/** Returns the whole answer as it came. */
export async function askWith(
  stage: Stage,
  project: TestProject | undefined,
  surface: SurfaceName,
  asked: Asked,
): Promise<string> {
  const { path, body } = surfaces[surface]
  const token = await project?.mint()
  const port = stage.harness.product.port
  const response = await fetch(`http://127.0.0.1:${port}/p/${project?.slug}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: body(asked),
  })
  return await response.text()
}
