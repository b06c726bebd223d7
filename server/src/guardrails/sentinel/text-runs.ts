// Collects the texts of a conversation that Sentinel reads: those of messages of role `user`, and of tool results if
// the project wants these too. Independent of the patterns that Sentinel looks for.

import type { Message, Part } from '../../domain/conversation/prompt.ts'
import type { TextSource } from '../../domain/guardrails/guardrail-event.ts'
import type { GivenText } from '../../domain/prompts/fill-template.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { addNames, addPart, addText, forEachYielding } from '../prompt-texts.ts'
import { type JsonSink, readJson, readString } from '../read-json.ts'
import { TextParts } from '../text-parts.ts'
import { type Gathered, linesOf } from '../value-lines.ts'

/** Texts that are scanned together. */
export interface RunTexts {
  /** Text parts in order: a sentence may continue from one to the next. */
  parts: string[]
  /** Texts of files, names, URLs, and fields that this gateway does not know, each readable alone. */
  otherTexts: string[]
}

/** The texts of one source in consecutive messages of one role. */
export interface TextRun extends RunTexts {
  source: TextSource
  /** The variable of a prompt that the text was given for. */
  variable?: string
}

/** Each is read alone, wherever it stands in the prompt: in the project's own words it could hide. */
export function runsOfVariables(texts: readonly GivenText[]): TextRun[] {
  return texts.map(({ name, text }) => ({ source: 'user', parts: [text], otherTexts: [], variable: name }))
}

/** Yields so that others can run. */
export function* collectRuns(
  messages: readonly Message[],
  sources: Settings['sentinel_sources'],
): Generator<void, TextRun[]> {
  const runs: TextRun[] = []
  let open = new OpenRuns(runs)
  let role: Message['role'] | null = null
  for (const message of messages) {
    if (message.role !== role) open = new OpenRuns(runs)
    role = message.role
    yield* addMessage(message, sources === 'user_and_tools', open)
    yield* open.addGathered()
    yield
  }
  return runs
}

function* addMessage(message: Message, readsTools: boolean, runs: OpenRuns): Generator<void> {
  const { role, content, name, extra } = message
  const isRead = role === 'user' || (role === 'tool' && readsTools)
  if (!isRead && !readsTools) return
  const own = role === 'tool' ? 'tool' : 'user'
  if (content !== null && typeof content !== 'string') {
    yield* forEachYielding(content, part => {
      const source = role === 'tool' ? 'tool' : sourceOf(part)
      if (isRead || source === 'tool') addShown(part, runs.of(source))
    })
  } else if (isRead && content) runs.of(own).run.parts.push(content)
  if (isRead && (name !== undefined || extra !== undefined)) addNames({ name, extra }, runs.of(own).gathered)
}

/** Tool results in other messages than a tool's are parts in a provider's own format. */
const toolResultKind = /(?:^|_)tool_result$|_call_output$/
const documentKinds: ReadonlySet<string> = new Set(['document', 'input_file', 'search_result'])

function sourceOf(part: Part): TextSource {
  if (part.type === 'file' || part.type === 'document') return 'document'
  if (part.type !== 'other') return 'user'
  if (toolResultKind.test(part.kind)) return 'tool'
  return documentKinds.has(part.kind) ? 'document' : 'user'
}

/** The text of an unknown part such as `input_text` is a text part: it joins sentences of other parts. */
function addShown(part: Part, { run, gathered }: OpenRun): void {
  if (part.type === 'other' && typeof part.value['text'] === 'string') {
    const { text, ...others } = part.value
    addText(text as string, run.parts)
    addPart({ ...part, value: others }, run.parts, gathered)
  } else addPart(part, run.parts, gathered)
}

interface OpenRun {
  run: TextRun
  /** The texts of the current message. */
  gathered: Gathered
}

/** The runs of consecutive messages of one role, by source. */
class OpenRuns {
  readonly #all: TextRun[]
  readonly #open: OpenRun[] = []

  constructor(all: TextRun[]) {
    this.#all = all
  }

  of(source: TextSource): OpenRun {
    const known = this.#open.find(({ run }) => run.source === source)
    if (known !== undefined) return known
    const added: OpenRun = { run: { source, parts: [], otherTexts: [] }, gathered: [] }
    this.#all.push(added.run)
    this.#open.push(added)
    return added
  }

  *addGathered(): Generator<void> {
    for (const open of this.#open) {
      if (open.gathered.length === 0) continue
      const lines = yield* linesOf(open.gathered)
      yield* forEachYielding(lines, line => open.run.otherTexts.push(line))
      open.gathered = []
    }
  }
}

/**
 * The texts to scan for one run, and the strings of JSON in its text parts. The border between two text parts may be a
 * word boundary or the middle of a word: both variants are returned if they differ. Yields so that others can run.
 */
export function* textsOfRun({ parts, otherTexts }: RunTexts): Generator<void, string[]> {
  const texts: string[] = []
  if (parts.length > 0) texts.push(parts.join('\n'))
  yield
  if (yield* hasCutInWord(parts)) texts.push(parts.join(''))
  if (otherTexts.length > 0) texts.push(otherTexts.join('\n'))
  for (const piece of parts) {
    yield
    const strings = yield* findJsonStrings(piece)
    if (strings !== null) texts.push(strings)
  }
  return texts
}

function* hasCutInWord(pieces: readonly string[]): Generator<void, boolean> {
  for (let at = 1; at < pieces.length; at++) {
    if (isCutInWord(pieces[at - 1]!, pieces[at]!)) return true
    if (at % bordersPerYield === 0) yield
  }
  return false
}

const bordersPerYield = 512
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
