// Collects the texts of a conversation that Sentinel reads: those of messages of role `user`, and of tool results if
// the project wants these too. Independent of the patterns that Sentinel looks for.

import type { Content, Message, Part } from '../../domain/conversation/prompt.ts'
import type { TextSource } from '../../domain/guardrails/guardrail-event.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { addMessageTexts, type Gathered, linesOf } from '../prompt-texts.ts'
import { type JsonSink, readJson, readString } from '../read-json.ts'
import { TextParts } from '../text-parts.ts'

/** Texts that are scanned together. */
export interface RunTexts {
  /** Text parts in order: a sentence may continue from one to the next. */
  said: string[]
  /** Texts of files, names, URLs, and fields that this gateway does not know, each readable alone. */
  carried: string[]
}

/** The texts of one source in consecutive messages of one role. */
export interface TextRun extends RunTexts {
  source: TextSource
}

/** Yields so that others can run. */
export function* collectRuns(
  messages: readonly Message[],
  sources: Settings['sentinel_sources'],
): Generator<void, TextRun[]> {
  const runs: TextRun[] = []
  const open = new Map<TextSource, TextRun>()
  let role: Message['role'] | null = null
  for (const message of messages) {
    if (message.role !== role) open.clear()
    role = message.role
    for (const [source, texts] of textsBySource(message, sources)) {
      let run = open.get(source)
      if (run === undefined) {
        run = { source, said: [], carried: [] }
        open.set(source, run)
        runs.push(run)
      }
      const gathered: Gathered = []
      addMessageTexts({ ...texts, content: showTexts(texts.content ?? []) }, run.said, gathered)
      if (gathered.length > 0) for (const line of yield* linesOf(gathered)) run.carried.push(line)
      yield
    }
  }
  return runs
}

/** Tool results in other messages than a tool's are parts in a provider's own format. */
const toolResultKind = /(?:^|_)tool_result$|_call_output$/
const documentKinds: ReadonlySet<string> = new Set(['document', 'input_file', 'search_result'])

type SourcedTexts = Pick<Message, 'content' | 'name' | 'extra'>

function textsBySource(message: Message, sources: Settings['sentinel_sources']): [TextSource, SourcedTexts][] {
  const { role, content, name, extra } = message
  const readsTools = sources === 'user_and_tools'
  if (role === 'tool') return readsTools ? [['tool', message]] : []
  if (role !== 'user' && !readsTools) return []
  if (typeof content === 'string' || content === null) return role === 'user' ? [['user', message]] : []
  const { user = [], document = [], tool = [] } = Object.groupBy(content, sourceOf)
  const texts: [TextSource, SourcedTexts][] = []
  if (role === 'user') {
    if (user.length > 0 || name !== undefined || extra !== undefined)
      texts.push(['user', { ...message, content: user }])
    if (document.length > 0) texts.push(['document', { content: document }])
  }
  if (tool.length > 0) texts.push(['tool', { content: tool }])
  return texts
}

function sourceOf(part: Part): TextSource {
  if (part.type === 'file') return 'document'
  if (part.type !== 'other') return 'user'
  if (toolResultKind.test(part.kind)) return 'tool'
  return documentKinds.has(part.kind) ? 'document' : 'user'
}

/** Moves the text of unknown parts such as `input_text` to a text part, so that it joins sentences of other parts. */
function showTexts(content: Content): Content {
  if (typeof content === 'string' || !content.some(hasText)) return content
  return content.flatMap(part => {
    if (!hasText(part)) return [part]
    const { text, ...others } = part.value
    return [
      { type: 'text', text },
      { ...part, value: others },
    ]
  })
}

function hasText(part: Part): part is Part & { type: 'other'; value: { text: string } } {
  return part.type === 'other' && typeof part.value['text'] === 'string'
}

/**
 * The texts to scan for one run, and the strings of JSON in its text parts. The border between two text parts may be a
 * word boundary or the middle of a word: both variants are returned if they differ. Yields so that others can run.
 */
export function* textsOfRun({ said, carried }: RunTexts): Generator<void, string[]> {
  const texts: string[] = []
  if (said.length > 0) texts.push(said.join('\n'))
  if (said.some((piece, index) => index > 0 && isCutInWord(said[index - 1]!, piece))) texts.push(said.join(''))
  if (carried.length > 0) texts.push(carried.join('\n'))
  for (const piece of said) {
    yield
    const strings = yield* findJsonStrings(piece)
    if (strings !== null) texts.push(strings)
  }
  return texts
}

const wordAtEnd = /[\p{L}\p{N}]$/u
const wordAtStart = /^[\p{L}\p{N}]/u

function isCutInWord(left: string, right: string): boolean {
  // The last character may take two code units; searching all of a long text would take milliseconds.
  return wordAtEnd.test(left.slice(-2)) && wordAtStart.test(right)
}

/** The names and strings of a JSON text, one per line; null if it is not JSON. */
function* findJsonStrings(text: string): Generator<void, string | null> {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return null
  const strings = new StringLines(text)
  const isJson = yield* readJson(text, strings)
  return isJson ? strings.lines.whole() : null
}

class StringLines implements JsonSink {
  readonly lines = new TextParts()
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  name(start: number, end: number, hasEscapes: boolean): void {
    this.text(start, end, hasEscapes)
  }

  text(start: number, end: number, hasEscapes: boolean): void {
    if (this.lines.length > 0) this.lines.add('\n')
    this.lines.add(readString(this.#text, start, end, hasEscapes))
  }
}
