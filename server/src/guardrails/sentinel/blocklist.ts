// Finds the terms of a project's blocklist in a text, all of them in one pass (Aho-Corasick). A term that begins or ends
// with a letter or digit does so at a word's border, except in scripts that have none. Knows no pattern family.

import { isInvisible, lookalikeFolds, plainFolds, unitKind, unitKinds } from './code-units.ts'

export interface Blocklist {
  /**
   * Adds the numbers of the terms that the text holds. Stops now and then, so that others can run, and says how many
   * terms it has looked at since.
   */
  findTerms(text: string, found: Set<number>): Generator<number, void>
}

interface State {
  next: Map<number, State>
  fallback: State | null
  /** The terms that end here. */
  ending: { term: number; length: number }[]
  /** Where the longest term ends that is an end of these: a list of all of them for each state would be long. */
  shorter: State | null
}

const stepsPerTurn = 32_768
const beyondAscii = /[^\0-\x7f]/

export function createBlocklist(source: readonly string[]): Blocklist {
  const terms = new Set(source.map(term => write(foldForTerms(term, plainFolds)).trim()))
  terms.delete('')
  const root = buildStates([...terms])
  return {
    *findTerms(text, found) {
      if (terms.size === 0) return
      yield* findIn(foldForTerms(text, plainFolds), root, found)
      if (beyondAscii.test(text)) yield* findIn(foldForTerms(text, lookalikeFolds), root, found)
    },
  }
}

function* findIn(view: Uint16Array, root: State, found: Set<number>): Generator<number, void> {
  let state = root
  let looked = 0
  let stepsLeft = stepsPerTurn
  for (let at = 0; at < view.length; at++) {
    const code = view[at]!
    while (state !== root && !state.next.has(code)) state = state.fallback!
    state = state.next.get(code) ?? root
    let ended = state.ending.length > 0 ? state : state.shorter
    // Whether a word ends here is the same for all that end here.
    if (ended !== null && isLetter(view, at) && isLetter(view, at + 1)) ended = null
    for (; ended !== null; ended = ended.shorter) {
      for (const { term, length } of ended.ending) {
        looked++
        if (!found.has(term) && beginsAlone(view, at + 1 - length)) found.add(term)
      }
    }
    if (--stepsLeft > looked) continue
    yield looked
    looked = 0
    stepsLeft = stepsPerTurn
  }
  if (looked > 0) yield looked
}

/** Each term in two forms, as it is and with look-alikes folded: folding them may not keep capitals and small letters one. */
function buildStates(terms: readonly string[]): State {
  const root: State = { next: new Map(), fallback: null, ending: [], shorter: null }
  terms.forEach((term, number) => {
    for (const form of new Set([term, write(foldForTerms(term, lookalikeFolds))])) {
      stateOf(root, form).ending.push({ term: number, length: form.length })
    }
  })
  const open = [...root.next.values()]
  for (const state of open) {
    for (const [code, next] of state.next) {
      let fallback = state.fallback
      while (fallback && !fallback.next.has(code)) fallback = fallback.fallback
      next.fallback = fallback?.next.get(code) ?? root
      next.shorter = next.fallback.ending.length > 0 ? next.fallback : next.fallback.shorter
      open.push(next)
    }
  }
  return root
}

function stateOf(root: State, form: string): State {
  let state = root
  for (let at = 0; at < form.length; at++) {
    const code = form.charCodeAt(at)
    const next = state.next.get(code) ?? { next: new Map(), fallback: root, ending: [], shorter: null }
    state.next.set(code, next)
    state = next
  }
  return state
}

function beginsAlone(view: Uint16Array, start: number): boolean {
  return !(isLetter(view, start) && isLetter(view, start - 1))
}

function isLetter(view: Uint16Array, at: number): boolean {
  return at >= 0 && at < view.length && (unitKinds[view[at]!] === unitKind.word || isMark[view[at]!] === 1)
}

const isMark = new Uint8Array(0x10000)
const mark = /\p{Mn}|\p{Me}/u
/** Marks of any script: what is left of them after composition is decoration. */
const decoration = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/
for (let code = 0x300; code < 0x10000; code++) {
  const character = String.fromCharCode(code)
  if ((code & 0xf800) !== 0xd800 && mark.test(character) && !decoration.test(character)) isMark[code] = 1
}

/** One case and form, white space collapsed. Accents stay: a term with one means it. */
function foldForTerms(text: string, folds: Uint16Array): Uint16Array {
  const composed = text.normalize('NFKC').replaceAll('ß', 'ss').replaceAll('ẞ', 'ss').replaceAll('ς', 'σ')
  const view = new Uint16Array(composed.length)
  let length = 0
  for (let at = 0; at < composed.length; at++) {
    const code = composed.charCodeAt(at)
    const isSurrogate = (code & 0xf800) === 0xd800
    const keepsForm = isSurrogate || (isMark[code] === 1 && isInvisible[code] === 0)
    const folded = keepsForm ? code : code === 0x0a ? 0x20 : folds[code]!
    if (folded === 0 || (folded === 0x20 && length > 0 && view[length - 1] === 0x20)) continue
    view[length++] = folded
  }
  return view.subarray(0, length)
}

function write(view: Uint16Array): string {
  let text = ''
  for (const code of view) text += String.fromCharCode(code)
  return text
}
