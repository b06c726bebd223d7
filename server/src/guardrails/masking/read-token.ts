// Reads a token of one vault at an offset of a text, as a model may have garbled it: lenient on brackets and
// separators, exact on the twelve hex characters.

import type { EntityName } from '../../domain/settings/settings.ts'
import { hexLength } from './mask-token.ts'
import type { Vault } from './vault.ts'

export interface TokenRead {
  /** The range that the value replaces. */
  start: number
  end: number
  value: string
}

/** `open`: the text may become a token with what follows. */
export type TokenReading = TokenRead | 'open' | null

const openers = ['<', '&lt;', '%3c', '\\<', '\\u003c']
const closers = ['>', '&gt;', '%3e', '\\>', '\\u003e']
/** Spaces and backticks between a bracket and its content. */
const maxPadding = 2
const maxBackslashes = 2

const caseBit = 0x20
const none = -1
const open = -2

export interface TokenReader {
  /** Whether a token may begin with this character. */
  mayStart(code: number): boolean
  /** `isWhole`: nothing follows the text. */
  read(text: string, at: number, isWhole: boolean): TokenReading
}

export function createTokenReader(vault: Vault): TokenReader {
  const types = vault.types()
  const starts = new Uint8Array(128)
  const firsts = [...openers, ...types, ...types.map(type => type.toLowerCase())]
  for (const first of firsts) starts[first.charCodeAt(0)] = 1

  function readHex(text: string, at: number, type: EntityName): number {
    const hex = text.slice(at, at + hexLength)
    if (hex.length < hexLength) return vault.hasPrefix(type, hex) ? open : none
    return vault.has(type, hex) && !isHex(text.charCodeAt(at + hexLength)) ? at + hexLength : none
  }

  function readFor(text: string, from: number, type: EntityName): number {
    let at = from
    for (let index = 0; index <= type.length; index++) {
      const letter = type[index] ?? '_'
      at = letter === '_' ? skipSeparator(text, at) : skipLetter(text, at, letter)
      if (at < 0) return at
    }
    return readHex(text, at, type)
  }

  return {
    mayStart: code => code < 128 && starts[code] === 1,
    read(text, at, isWhole) {
      const opened = isLetter(text.charCodeAt(at)) ? none : skipOneOf(openers, text, at)
      if (opened === open) return isWhole ? null : 'open'
      const core = opened === none ? at : skipPadding(text, opened)
      for (const type of types) {
        const end = readFor(text, core, type)
        if (end === none || (end === open && isWhole)) continue
        if (end === open) return 'open'
        const close = findEnd(text, { isOpened: opened !== none, end }, isWhole)
        if (close === open) return 'open'
        const value = vault.find(type, text.slice(end - hexLength, end))
        if (value === null) return null
        return { start: findStart(text, { at, opened, core }, { end, close }), end: close, value }
      }
      return null
    },
  }
}

/** Characters before the token that do not belong to it stay in the text. */
function findStart(
  text: string,
  { at, opened, core }: Record<'at' | 'opened' | 'core', number>,
  { end, close }: Record<'end' | 'close', number>,
): number {
  if (opened === none) return core
  // A bracket that stands apart and is not closed, as in a comparison.
  if (core > opened && close === end) return core
  // A backslash at the end of a path.
  return text.startsWith('\\<', at) && !text.startsWith('\\>', close - 2) ? at + 1 : at
}

/** Returns the offset after the closing bracket, if there is one. Without an opening bracket it must follow at once. */
function findEnd(text: string, { isOpened, end }: { isOpened: boolean; end: number }, isWhole: boolean): number {
  const padded = isOpened ? skipPadding(text, end) : end
  const closed = skipOneOf(closers, text, padded)
  if (closed >= 0) return closed
  const mayGoOn = closed === open || padded === text.length
  return mayGoOn && !isWhole ? open : end
}

function skipOneOf(words: readonly string[], text: string, at: number): number {
  let result = none
  for (const word of words) {
    const found = text.slice(at, at + word.length).toLowerCase()
    if (found === word) return at + word.length
    if (found !== '' && word.startsWith(found)) result = open
  }
  return result
}

function skipPadding(text: string, from: number): number {
  let at = from
  while (at < from + maxPadding && (text[at] === ' ' || text[at] === '`')) at++
  return at
}

function skipLetter(text: string, at: number, letter: string): number {
  if (at >= text.length) return open
  if (text[at] === letter) return at + 1
  return isLetter(letter.charCodeAt(0)) && (text.charCodeAt(at) | caseBit) === (letter.charCodeAt(0) | caseBit)
    ? at + 1
    : none
}

function skipSeparator(text: string, from: number): number {
  if (from >= text.length) return open
  if (text[from] === ' ' || text[from] === '-') return from + 1
  let at = from
  while (at < from + maxBackslashes && text[at] === '\\') at++
  if (at >= text.length) return open
  return text[at] === '_' ? at + 1 : none
}

function isLetter(code: number): boolean {
  const lower = code | caseBit
  return lower >= 0x61 && lower <= 0x7a
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)
}
