// Finds e-mail addresses in words: rosa dot lind at corp dot example, rosa (at) corp.example. Starts at the word "at";
// requires a "dot" or brackets, and a known top-level domain. Looks at a bounded number of tokens.

import type { Range } from './email.ts'
import { kindOfToken, type Tokens } from './tokens.ts'

const endings = new Set(
  (
    'com org net edu gov mil io co uk de fr eu info biz us ca au me dev app ai nl es it ch at be pl ru jp cn in br se no dk fi nz ' +
    'mx za pt cz gr ie tv xyz example test'
  ).split(' '),
)
/** Words before "at" in plain sentences. */
export const noLocals: ReadonlySet<string> = new Set(
  (
    'me us you him her them it is are was be look looking meet see live work works reach contact email mail call ' +
    'available found and or'
  ).split(' '),
)
export const maxLabels = 5

/** The address around this "at", or null. */
export function findSpelledEmailAt(tokens: Tokens, at: number): Range | null {
  tokens.steps += 4 * maxLabels
  const isBracketed = isMark(tokens, at - 1, '[(<{') && isMark(tokens, at + 1, '])>}')
  const first = isBracketed ? at + 2 : at + 1
  const end = endOfHost(tokens, first, isBracketed)
  if (end === -1) return null
  const last = isBracketed ? at - 2 : at - 1
  const start = startOfLocal(tokens, last)
  if (start === -1) return null
  if (start === last && !isBracketed && noLocals.has(wordOf(tokens, last))) return null
  return { start: tokens.starts[start] as number, end: tokens.ends[end] as number }
}

/** The last token of "corp dot example", or -1. */
function endOfHost(tokens: Tokens, from: number, isBracketed: boolean): number {
  let isSpelled = isBracketed
  let end = -1
  for (let label = from, count = 0; count < maxLabels && isLabel(tokens, label); count++) {
    if (count > 0 && endings.has(wordOf(tokens, label))) end = label
    let dot = label + 1
    const hasBrackets = isMark(tokens, dot, '[(')
    if (hasBrackets) dot++
    const isWord = wordOf(tokens, dot) === 'dot'
    if (!isWord && !(isMark(tokens, dot, '.') && tokens.gaps[dot + 1] === 0)) break
    if (isWord) isSpelled = true
    label = dot + (hasBrackets ? 2 : 1)
  }
  return isSpelled ? end : -1
}

/** The first token of "rosa dot lind", or -1. */
function startOfLocal(tokens: Tokens, last: number): number {
  if (last < 0 || !isLabel(tokens, last)) return -1
  let start = last
  for (let count = 0; count < maxLabels; count++) {
    const touches = tokens.gaps[start] === 0
    if (touches && start > 0 && isLabel(tokens, start - 1)) start--
    else if (
      (wordOf(tokens, start - 1) === 'dot' || (touches && isMark(tokens, start - 1, '._-'))) &&
      isLabel(tokens, start - 2)
    )
      start -= 2
    else break
  }
  return start
}

function isLabel(tokens: Tokens, token: number): boolean {
  return token >= 0 && token < tokens.count && tokens.kinds[token] !== kindOfToken.mark && tokens.gaps[token] !== 2
}

function isMark(tokens: Tokens, token: number, marks: string): boolean {
  return (
    token >= 0 &&
    token < tokens.count &&
    tokens.kinds[token] === kindOfToken.mark &&
    marks.includes(tokens.text.charAt(tokens.starts[token] as number))
  )
}

function wordOf(tokens: Tokens, token: number): string {
  if (token < 0 || token >= tokens.count || tokens.kinds[token] !== kindOfToken.word) return ''
  const [start, end] = [tokens.starts[token] as number, tokens.ends[token] as number]
  return end - start > 12 ? '' : tokens.text.slice(start, end).toLowerCase()
}
