// Reads the surroundings of a token: its line (prose, code, capitals only), its run of characters without white space
// (a URL, an identifier), the key before it.

import { kindOf, letterKind } from './letters.ts'
import { gap, shape, type TaggerTokens } from './tokens.ts'

export interface TokenSurroundings {
  /** How the line is written, 0 to 3, plus its share of code, 0 to 3, times 4. */
  line: Uint8Array
  /** What the run of characters around the token contains, as in `run`. */
  run: Uint8Array
  /** The hash of the word before the last colon or equals sign of the line, or 0. */
  key: Int32Array
  /** The class of the units directly before and after, 0 for white space. */
  before: Uint8Array
  after: Uint8Array
  /** The token's position in its line, at most 3, plus how many follow, at most 3, times 4. */
  place: Uint8Array
}

export function createSurroundings(capacity: number): TokenSurroundings {
  const column = (): Uint8Array => new Uint8Array(capacity)
  return {
    line: column(),
    run: column(),
    key: new Int32Array(capacity),
    before: column(),
    after: column(),
    place: column(),
  }
}

/** The case of a line's letters. */
const writing = { sentence: 0, lower: 1, capitals: 2, title: 3 } as const

export function readSurroundings(text: string, tokens: TaggerTokens, around: TokenSurroundings): void {
  for (let first = 0; first < tokens.count; ) {
    let end = first + 1
    while (end < tokens.count && tokens.gap[end]! < gap.line) end++
    readLine(text, tokens, first, end, around)
    first = end
  }
  readRuns(text, tokens, around)
}

function readLine(text: string, tokens: TaggerTokens, first: number, end: number, around: TokenSurroundings): void {
  let [lowers, capitalised, capitals, signs, words] = [0, 0, 0, 0, 0]
  for (let at = first; at < end; at++) {
    const look = tokens.shape[at]!
    if (look === shape.lower) lowers++
    else if (look === shape.capitalised || look === shape.mixedCapital) capitalised++
    else if (look === shape.allCaps) capitals++
    else if (look === shape.symbol) signs += isCodeSign(text.charCodeAt(tokens.start[at]!)) ? 1 : 0
    if (look !== shape.symbol) words++
  }
  const cased = lowers + capitalised + capitals
  const isTitle = cased > 2 && capitalised * 3 > cased * 2
  let how = writing.sentence as number
  if (capitalised + capitals === 0) how = writing.lower
  else if (capitals > 1 && capitals * 4 > cased * 3) how = writing.capitals
  else if (isTitle) how = writing.title
  const share = signs / (words + 1)
  const code = share > 0.6 ? 3 : share > 0.3 ? 2 : signs > 0 ? 1 : 0
  let key = 0
  let keyAt = first
  for (let at = first; at < end; at++) {
    around.line[at] = how + code * 4
    around.place[at] = Math.min(at - first, 3) + Math.min(end - 1 - at, 3) * 4
    around.key[at] = at - keyAt < 12 ? key : 0
    if (tokens.shape[at] === shape.symbol && isKeyEnd(text.charCodeAt(tokens.start[at]!))) {
      key = wordBefore(tokens, at, first)
      keyAt = at
    }
  }
}

function wordBefore(tokens: TaggerTokens, at: number, first: number): number {
  for (let before = at - 1; before >= Math.max(first, at - 2); before--) {
    if (tokens.shape[before] !== shape.symbol) return tokens.hash[before]!
  }
  return 0
}

const codeSigns = new Set([...'{}()[]<>=;_$|\\*+#`~^&%/'].map(sign => sign.charCodeAt(0)))

function isCodeSign(code: number): boolean {
  return codeSigns.has(code)
}

function isKeyEnd(code: number): boolean {
  return code === 0x3a || code === 0x3d
}

/** What a run without white space, quotes, commas or brackets contains. */
const run = { at: 1, slash: 2, underscore: 4, dot: 8, hash: 16, dollar: 32, digit: 64, hyphen: 128 } as const
const runBit = new Map<number, number>(
  Object.entries({ '@': run.at, '/': run.slash, '\\': run.slash, _: run.underscore, '.': run.dot, '#': run.hash }).map(
    ([sign, bit]) => [sign.charCodeAt(0), bit],
  ),
)
runBit.set(0x24, run.dollar).set(0x2d, run.hyphen)
const runEnds = new Set([...'"\'`,;(){}[]<>=|!?*+“”‘’«»'].map(sign => sign.charCodeAt(0)))

function readRuns(text: string, tokens: TaggerTokens, around: TokenSurroundings): void {
  let first = 0
  let holds = 0
  for (let at = 0; at <= tokens.count; at++) {
    const isEnd = at === tokens.count || tokens.gap[at] !== gap.none || endsRun(text, tokens, at)
    if (isEnd) {
      around.run.fill(holds, first, at)
      first = at
      holds = 0
    }
    if (at === tokens.count) return
    around.before[at] = unitClass(text, tokens.start[at]! - 1)
    around.after[at] = unitClass(text, tokens.end[at]!)
    const look = tokens.shape[at]!
    if (look === shape.symbol) holds |= bitOfSign(text, tokens, at)
    else if (look >= shape.number || look === shape.withDigits) holds |= run.digit
  }
}

function endsRun(text: string, tokens: TaggerTokens, at: number): boolean {
  const previous = at > 0 ? text.charCodeAt(tokens.start[at - 1]!) : 0
  const code = text.charCodeAt(tokens.start[at]!)
  if (code === 0x3a) return text.charCodeAt(tokens.end[at]!) !== 0x2f
  if (previous === 0x3a && code !== 0x2f) return true
  return runEnds.has(code) || runEnds.has(previous)
}

/** A sign at the end of a run, such as a full stop, is ignored. */
function bitOfSign(text: string, tokens: TaggerTokens, at: number): number {
  const isLast = at + 1 >= tokens.count || tokens.gap[at + 1] !== gap.none
  const bit = runBit.get(text.charCodeAt(tokens.start[at]!)) ?? 0
  return isLast && bit === run.dot ? 0 : bit
}

/** White space 0, letters and digits 1, every sign its own number. */
function unitClass(text: string, at: number): number {
  if (at < 0 || at >= text.length) return 0
  const code = text.charCodeAt(at)
  const kind = kindOf(code)
  if (kind <= letterKind.newline) return 0
  return kind === letterKind.symbol ? 2 + (code < 128 ? code : 128 + (code & 63)) : 1
}
