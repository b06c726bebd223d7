// Which texts of a conversation are the end user's: text parts of role `user`, each run of messages that stand together
// as one text, and what JSON holds in its strings. Knows nothing of what is looked for.

import type { Content, Message } from '../../domain/conversation/prompt.ts'
import { type JsonSink, readJson, readString } from '../read-json.ts'
import { TextParts } from '../text-parts.ts'

/** Yields where others may run. Between two pieces there may be a word's border or the middle of a word: both readings are given where they differ. */
export function* userTexts(messages: readonly Message[]): Generator<void, string[]> {
  const texts: string[] = []
  let pieces: string[] = []
  for (const message of messages) {
    if (message.role === 'user') for (const piece of piecesOf(message.content)) pieces.push(piece)
    else pieces = yield* flush(pieces, texts)
  }
  yield* flush(pieces, texts)
  return texts
}

function piecesOf(content: Content): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(part => (part.type === 'text' ? [part.text] : []))
}

function* flush(pieces: string[], texts: string[]): Generator<void, string[]> {
  if (pieces.length > 0) texts.push(pieces.join('\n'))
  if (pieces.some((piece, index) => index > 0 && isCutInWord(pieces[index - 1]!, piece))) texts.push(pieces.join(''))
  for (const piece of pieces) {
    const strings = yield* findJsonStrings(piece)
    if (strings !== null) texts.push(strings)
  }
  return []
}

const wordAtEnd = /[\p{L}\p{N}]$/u
const wordAtStart = /^[\p{L}\p{N}]/u

function isCutInWord(left: string, right: string): boolean {
  return wordAtEnd.test(left) && wordAtStart.test(right)
}

/** The names and strings of a text that is JSON, one to a line; null where it is none. */
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
