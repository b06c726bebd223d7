// A request of the playground as code: for the official clients of TypeScript and Python, and for curl.
import type { PlaygroundMessage, PlaygroundParams } from '../../api/run-playground.ts'
import { pageClientFor, pythonClient } from '../start/code-texts.ts'

export interface ShownRequest {
  prompt: { id: string; variables: Readonly<Record<string, string>> } | null
  system: string
  earlier: readonly PlaygroundMessage[]
  message: PlaygroundMessage | null
  params: PlaygroundParams
}

export function codeOf(address: string, { prompt, system, earlier, message, params }: ShownRequest) {
  const first = system === '' ? [] : [{ role: 'system', content: system }]
  const messages = [...first, ...earlier, ...(message === null ? [] : [message])]
  const body = {
    model: 'default',
    ...(prompt !== null && { prompt }),
    messages: messages.map(withShortImages),
    ...params,
    stream: true,
  }
  return { typescript: inTypescript(address, body), python: inPython(body), curl: asCommand(address, body) }
}

/** Such data would fill pages. */
function withShortImages(message: PlaygroundMessage): PlaygroundMessage {
  if (typeof message.content === 'string') return message
  const content = message.content.map(part =>
    part.type === 'image_url' ? { ...part, image_url: { url: part.image_url.url.replace(/,.*$/s, ',…') } } : part,
  )
  return { ...message, content }
}

function inTypescript(address: string, body: object): string {
  return `${pageClientFor(address)}

const stream = await openai.chat.completions.create(${JSON.stringify(body, null, 2)})
for await (const chunk of stream) document.body.append(chunk.choices[0]?.delta.content ?? '')`
}

/** The client does not know the field `prompt`. */
function inPython({ prompt, ...known }: Record<string, unknown>): string {
  const fields = { ...known, ...(prompt !== undefined && { extra_body: { prompt } }) }
  const lines = Object.entries(fields).map(([name, value]) => `    ${name}=${toPython(value, 4)},\n`)
  return `${pythonClient}

stream = openai.chat.completions.create(
${lines.join('')})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`
}

function toPython(value: unknown, indent: number): string {
  const inner = ' '.repeat(indent + 4)
  const wrap = (open: string, items: string[], close: string): string =>
    items.length === 0
      ? open + close
      : `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${' '.repeat(indent)}${close}`
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value))
    return wrap(
      '[',
      value.map(item => toPython(item, indent + 4)),
      ']',
    )
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value)
  return wrap(
    '{',
    entries.map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item, indent + 4)}`),
    '}',
  )
}

function asCommand(address: string, body: object): string {
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl -sS -N ${address}/v1/chat/completions \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '${quoted}'`
}
