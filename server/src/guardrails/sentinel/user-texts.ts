// Collects the end user's texts of a conversation: everything in messages of role `user`. Consecutive messages form one
// run. Independent of the patterns that Sentinel looks for.

import type { Content, Message, Part, UserMessage } from '../../domain/conversation/prompt.ts'
import { addMessageTexts, type Gathered, linesOf } from '../prompt-texts.ts'
import { type JsonSink, readJson, readString } from '../read-json.ts'
import { TextParts } from '../text-parts.ts'

/** Consecutive messages of the user. */
export interface UserRun {
  /** Text parts in order: a sentence may continue from one to the next. */
  said: string[]
  /** Texts of files, names, URLs, and fields that this gateway does not know, each readable alone. */
  carried: string[]
}

/** Yields so that others can run. */
export function* userRuns(messages: readonly Message[]): Generator<void, UserRun[]> {
  const runs: UserRun[] = []
  let run: UserRun | null = null
  for (const message of messages) {
    if (message.role !== 'user') run = null
    else {
      if (run === null) {
        run = { said: [], carried: [] }
        runs.push(run)
      }
      const gathered: Gathered = []
      addMessageTexts({ ...message, content: showTexts(message.content) }, run.said, gathered)
      if (gathered.length > 0) for (const line of yield* linesOf(gathered)) run.carried.push(line)
      yield
    }
  }
  return runs
}

/** Moves the text of unknown parts such as `input_text` to a text part, so that it joins sentences of other parts. */
function showTexts(content: UserMessage['content']): Content {
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
export function* textsOfRun({ said, carried }: UserRun): Generator<void, string[]> {
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
