// Reads a pattern of the supported subset of RE2's syntax, or says why it is outside of it. The subset is regular, so
// that a pattern can be matched in linear time.

import { accept, type Checked, refuse } from '../checked.ts'
import { foldCase } from './case-folding.ts'
import {
  anyButLineEnd,
  type CharacterSet,
  complement,
  digitCharacters,
  spaceCharacters,
  unite,
  wordCharacters,
} from './character-set.ts'
import { assertionOf, characterOf, choiceOf, matchesEmpty, type PatternNode, repeatOf, sequenceOf } from './pattern.ts'

const maxRepetitions = 256
const maxStates = 1_000
const maxDepth = 50

export function readPattern(source: string): Checked<PatternNode> {
  return read(source, true)
}

/** Checks a pattern and counts its states, in a fraction of the time: without the characters of its sets. */
export function measurePattern(source: string): Checked<number> {
  const outcome = read(source, false)
  return outcome.ok ? accept(outcome.value.states) : outcome
}

function read(source: string, wantsSets: boolean): Checked<PatternNode> {
  try {
    const node = new Reader(source, wantsSets).read()
    if (matchesEmpty(node)) return refuse('it matches the empty text')
    return accept(node)
  } catch (error) {
    if (error instanceof Unsupported) return refuse(error.message)
    throw error
  }
}

class Unsupported extends Error {}

const escapedSets: Readonly<Record<string, CharacterSet>> = {
  d: digitCharacters,
  D: complement(digitCharacters),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: spaceCharacters,
  S: complement(spaceCharacters),
}
const escapedCharacters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v' }

class Reader {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0
  #ignoresCase = false
  /** Otherwise sets are empty. */
  readonly #wantsSets: boolean

  constructor(source: string, wantsSets: boolean) {
    this.#characters = [...source]
    this.#wantsSets = wantsSets
  }

  read(): PatternNode {
    if (this.#characters.slice(0, 4).join('') === '(?i)') {
      this.#ignoresCase = true
      this.#at = 4
    }
    const node = this.#choice()
    if (this.#next() === ')') throw new Unsupported('a parenthesis is not open')
    return node
  }

  #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(character: string): boolean {
    if (this.#next() !== character) return false
    this.#at++
    return true
  }

  #choice(): PatternNode {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 ? (options[0] as PatternNode) : bounded(choiceOf(options))
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    for (let next = this.#next(); next !== undefined && next !== '|' && next !== ')'; next = this.#next()) {
      // Checked at once: nested repetitions multiply.
      parts.push(bounded(this.#repeated(this.#atom())))
    }
    return bounded(sequenceOf(parts))
  }

  #atom(): PatternNode {
    const character = this.#characters[this.#at++] as string
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return this.#set(this.#characterClass())
      case '.':
        return characterOf(anyButLineEnd)
      case '^':
        return assertionOf('start')
      case '$':
        return assertionOf('end')
      case '*':
      case '+':
      case '?':
        throw new Unsupported(`there is nothing to repeat before ${character}`)
      case '{':
        if (this.#counts() !== null) throw new Unsupported('there is nothing to repeat before {')
        return this.#character('{')
      case '\\':
        return this.#escape()
      default:
        return this.#character(character)
    }
  }

  #group(): PatternNode {
    if (this.#take('?') && !this.#take(':'))
      throw new Unsupported(reasonOf(this.#characters.slice(this.#at, this.#at + 2)))
    if (++this.#depth > maxDepth) throw new Unsupported(`groups are nested more than ${maxDepth} deep`)
    const inner = this.#choice()
    this.#depth--
    if (!this.#take(')')) throw new Unsupported('a parenthesis is not closed')
    return inner
  }

  #escape(): PatternNode {
    const name = this.#next()
    if (name === 'b' || name === 'B') {
      this.#at++
      return assertionOf(name === 'b' ? 'boundary' : 'noBoundary')
    }
    return this.#set(this.#escapedSet())
  }

  /** After a backslash, also in a class. */
  #escapedSet(): CharacterSet {
    const name = this.#characters[this.#at++]
    if (name === undefined) throw new Unsupported('it ends with a backslash')
    const set = escapedSets[name]
    if (set !== undefined) return set
    const character = escapedCharacters[name]
    if (character !== undefined) return single(character)
    if (name === 'x') return this.#hexadecimal()
    if (/[1-9k]/.test(name)) throw new Unsupported('backreferences are not supported')
    if (/[pP]/.test(name)) throw new Unsupported('Unicode classes are not supported')
    if (/[A-Za-z0]/.test(name)) throw new Unsupported(`the escape \\${name} is not supported`)
    return single(name)
  }

  /** `\x41` and `\x{1F600}`. */
  #hexadecimal(): CharacterSet {
    const rest = this.#characters.slice(this.#at, this.#at + 8).join('')
    const [written, long, short] = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest) ?? []
    const code = Number.parseInt(long ?? short ?? '', 16)
    if (written === undefined || code > 0x10ffff) throw new Unsupported('\\x needs two digits, or up to six in braces')
    this.#at += written.length
    return [code, code]
  }

  #characterClass(): CharacterSet {
    const isNegated = this.#take('^')
    const sets: CharacterSet[] = []
    for (let isFirst = true; isFirst || this.#next() !== ']'; isFirst = false) {
      const from = this.#classItem()
      const isRange = this.#next() === '-' && this.#characters[this.#at + 1] !== ']'
      if (!isRange) {
        sets.push(from)
        continue
      }
      this.#at++
      const to = this.#classItem()
      if (!isSingle(from) || !isSingle(to) || (from[0] as number) > (to[0] as number)) {
        throw new Unsupported('a range of a character class is not in order')
      }
      sets.push([from[0] as number, to[0] as number])
    }
    this.#at++
    if (!this.#wantsSets) return []
    const set = this.#folded(unite(sets))
    return isNegated ? complement(set) : set
  }

  #classItem(): CharacterSet {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new Unsupported('a character class is not closed')
    if (character === '[' && this.#next() === ':') throw new Unsupported('named character classes are not supported')
    return character === '\\' ? this.#escapedSet() : single(character)
  }

  #repeated(part: PatternNode): PatternNode {
    const counts = this.#quantifier()
    if (counts === null) return part
    if (this.#next() === '?') throw new Unsupported('lazy repetition is not supported: the longest match counts')
    if (this.#next() === '+') throw new Unsupported('possessive repetition is not supported')
    if (this.#quantifier() !== null) throw new Unsupported('a repetition is repeated without a group')
    if (part.kind === 'assertion') throw new Unsupported('an assertion is repeated')
    return repeatOf(part, counts.min, counts.max)
  }

  #quantifier(): { min: number; max: number | null } | null {
    if (this.#take('*')) return { min: 0, max: null }
    if (this.#take('+')) return { min: 1, max: null }
    if (this.#take('?')) return { min: 0, max: 1 }
    return this.#take('{') ? (this.#counts() ?? this.#putBack()) : null
  }

  #putBack(): null {
    this.#at--
    return null
  }

  /** `3}`, `3,}` or `3,5}`; null if the brace before stands for itself. */
  #counts(): { min: number; max: number | null } | null {
    const rest = this.#characters.slice(this.#at, this.#at + 20).join('')
    const [written, least = '', comma, most] = /^(\d{1,6})(,)?(\d{1,6})?\}/.exec(rest) ?? []
    if (written === undefined || (comma === undefined && most !== undefined)) return null
    const min = Number(least)
    const max = comma === undefined ? min : most === undefined ? null : Number(most)
    if (Math.max(min, max ?? 0) > maxRepetitions) throw new Unsupported(`a repetition exceeds ${maxRepetitions}`)
    if (max !== null && max < min) throw new Unsupported('a repetition has a maximum below its minimum')
    if (max === 0) throw new Unsupported('a repetition has the maximum 0')
    this.#at += written.length
    return { min, max }
  }

  #character(character: string): PatternNode {
    return this.#set(single(character))
  }

  #set(set: CharacterSet): PatternNode {
    return characterOf(this.#folded(set))
  }

  #folded(set: CharacterSet): CharacterSet {
    return this.#ignoresCase && this.#wantsSets ? foldCase(set) : set
  }
}

function bounded(node: PatternNode): PatternNode {
  if (node.states > maxStates) throw new Unsupported(`it has more than ${maxStates} states`)
  return node
}

/** Why a group that begins with `(?` and these characters is not supported. */
function reasonOf([first = '', second = '']: readonly string[]): string {
  if (first === '=' || first === '!') return 'lookahead is not supported'
  if (first === '<' && (second === '=' || second === '!')) return 'lookbehind is not supported'
  if (first === '<' || first === 'P') return 'named groups are not supported'
  return first === 'i' ? 'flags are supported only as (?i) at the start' : `the group (?${first} is not supported`
}

function single(character: string): CharacterSet {
  const code = character.codePointAt(0) as number
  return [code, code]
}

function isSingle(set: CharacterSet): boolean {
  return set.length === 2 && set[0] === set[1]
}
