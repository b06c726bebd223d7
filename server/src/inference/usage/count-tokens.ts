// Counts tokens locally, for answers without a count by their provider: by kinds of characters and lengths of
// words, as the tokenizers of large models split them. Linear in the text and without a vocabulary;
// docs/decisions/0008 has its error. Wherever such a count is stored, it is marked as an estimate.

import { type Message, type Part, type Prompt, partsOf, textOf } from '../../domain/conversation/prompt.ts'

export interface TokenCounter {
  /** Takes the next piece of a text. The total does not depend on how the text is split. */
  add(piece: string): void
  total(): number
}

/** What the last character was. Numbers, because they are compared for each character. */
const [start, space, line, lower, upper, digit, mark, other] = [0, 1, 2, 3, 4, 5, 6, 7]

/** How many characters of a run share one token. */
const lettersPerToken = 9
const capitalsPerToken = 3
const digitsPerToken = 3
const marksPerToken = 3
/** Role and separators. */
const tokensPerMessage = 4

/** Tokens for one character beyond ASCII: each weight applies to code units below its number, a multiple of 16. */
const weights: readonly (readonly [below: number, weight: number])[] = [
  [0x0250, 0.5], // Latin with accents
  [0x0370, 0.8],
  [0x0530, 0.27], // Greek, Cyrillic
  [0x0590, 0.5],
  [0x0700, 0.34], // Hebrew, Arabic
  [0x0900, 0.6],
  [0x0e00, 0.36], // Indic scripts
  [0x0e80, 0.45], // Thai
  [0x1e00, 0.8],
  [0x1f00, 0.4], // Vietnamese
  [0x2000, 0.6],
  [0x2070, 0.8], // punctuation
  [0x3040, 0.8],
  [0x3100, 0.62], // kana
  [0xac00, 0.78], // ideographs
  [0xd7b0, 0.62], // Hangul
]
const weightOfTheRest = 0.9
/** The same for each sixteen code units: a search for each character would take a hundred times as long. */
const weightsBySixteen = Float64Array.from(
  { length: 0x1_0000 / 16 },
  (_, index) => weights.find(([below]) => 16 * index < below)?.[1] ?? weightOfTheRest,
)

export function createTokenCounter(): TokenCounter {
  const state: Counting = { tokens: 0, kind: start, run: 0, next: 0 }
  return {
    add: piece => count(piece, state),
    total: () => Math.ceil(state.tokens),
  }
}

interface Counting {
  tokens: number
  kind: number
  /** How many characters of this kind came before, in a row. */
  run: number
  /** The run at which another token begins. */
  next: number
}

/** Works on local variables: an answer may have millions of characters in one piece. */
function count(piece: string, state: Counting): void {
  let { tokens, kind, run, next } = state
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    let found = mark
    let perToken = marksPerToken
    if (code >= 0x80) {
      tokens += weightsBySixteen[code >> 4] ?? weightOfTheRest
      // An accented letter inside a word does not begin a new word.
      if (kind !== lower) kind = other
      continue
    } else if (code >= 0x61 && code <= 0x7a) {
      // A single capital belongs to the word that it begins.
      if (kind === upper && run === 0) {
        kind = lower
        next = lettersPerToken
      }
      found = lower
      perToken = lettersPerToken
    } else if (code >= 0x41 && code <= 0x5a) {
      found = upper
      perToken = capitalsPerToken
    } else if (code >= 0x30 && code <= 0x39) {
      found = digit
      perToken = digitsPerToken
    } else if (code === 0x20) {
      // One space belongs to the word after it, and indentation to its line; further spaces are one token.
      if (kind === line) continue
      run = kind === space ? run + 1 : 0
      if (run === 1) tokens += 1
      kind = space
      continue
    } else if (code <= 0x20) {
      if (kind !== line) tokens += 1
      kind = line
      continue
    }
    if (found !== kind) {
      kind = found
      run = 0
      next = perToken
      tokens++
    } else if (++run === next) {
      next += perToken
      tokens++
    }
  }
  state.tokens = tokens
  state.kind = kind
  state.run = run
  state.next = next
}

export function estimatePromptTokens(messages: readonly Message[]): number {
  const counter = createTokenCounter()
  for (const message of messages) {
    counter.add(textOf(message.content))
    if (message.role !== 'assistant') continue
    for (const call of message.toolCalls) {
      counter.add(call.name)
      counter.add(call.arguments)
    }
  }
  return messages.length * tokensPerMessage + counter.total()
}

/** Media cost tokens by their content, which is not read here. */
const tokensPerMedia = 1_000
const mediaTypes: ReadonlySet<Part['type']> = new Set(['image', 'file', 'audio'])

/** Also counts what is not text in messages, and the tools. */
export function estimateWholePrompt({ messages, tools, otherTools }: Prompt): number {
  const media = messages.flatMap(({ content }) => partsOf(content)).filter(({ type }) => mediaTypes.has(type))
  const counter = createTokenCounter()
  for (const { name, description = '', parameters } of tools)
    counter.add(JSON.stringify([name, description]) + (parameters?.text ?? ''))
  for (const tool of otherTools) counter.add(JSON.stringify(tool))
  return estimatePromptTokens(messages) + counter.total() + tokensPerMedia * media.length
}
