// Finds the terms of a project's blocklist in a text, all of them in one pass (Aho-Corasick). A term that begins or ends
// with a letter or digit does so at a word's border, except in scripts that have none. Knows no pattern family.

import { isInvisible, lookalikeFolds, unitKind, unitKinds } from './code-units.ts'

export interface Blocklist {
  /** Adds the numbers of the terms that the text holds. Stops now and then, so that others can run. */
  findTerms(text: string, found: Set<number>): Generator<undefined, void>
}

interface State {
  next: Map<number, State>
  fallback: State | null
  /** Numbers of the terms that end here, also those that are ends of longer ones. */
  ending: number[]
}

const unitsPerTurn = 32_768

export function createBlocklist(source: readonly string[]): Blocklist {
  const foldedTerms = new Set(source.map(term => String.fromCharCode(...foldForTerms(term)).trim()))
  foldedTerms.delete('')
  const terms = [...foldedTerms]
  const root = buildStates(terms)
  return {
    *findTerms(text, found) {
      if (terms.length === 0) return
      const view = foldForTerms(text)
      let state = root
      for (let at = 0; at < view.length; at++) {
        const code = view[at]!
        while (state !== root && !state.next.has(code)) state = state.fallback!
        state = state.next.get(code) ?? root
        for (const term of state.ending) {
          if (!found.has(term) && standsAlone(view, at + 1 - terms[term]!.length, at + 1)) found.add(term)
        }
        if (at % unitsPerTurn === unitsPerTurn - 1) yield
      }
    },
  }
}

function buildStates(terms: readonly string[]): State {
  const root: State = { next: new Map(), fallback: null, ending: [] }
  terms.forEach((term, number) => {
    let state = root
    for (let at = 0; at < term.length; at++) {
      const code = term.charCodeAt(at)
      const known = state.next.get(code)
      const next = known ?? { next: new Map(), fallback: root, ending: [] }
      if (!known) state.next.set(code, next)
      state = next
    }
    state.ending.push(number)
  })
  const open = [...root.next.values()]
  for (const state of open) {
    for (const [code, next] of state.next) {
      let fallback = state.fallback
      while (fallback && !fallback.next.has(code)) fallback = fallback.fallback
      next.fallback = fallback?.next.get(code) ?? root
      next.ending.push(...next.fallback.ending)
      open.push(next)
    }
  }
  return root
}

function standsAlone(view: Uint16Array, start: number, end: number): boolean {
  return !(isLetter(view, start) && isLetter(view, start - 1)) && !(isLetter(view, end - 1) && isLetter(view, end))
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

/** One case and form, look-alikes as Latin, white space collapsed. Accents stay: a term with one means it. */
function foldForTerms(text: string): Uint16Array {
  const composed = text.normalize('NFKC').replaceAll('ß', 'ss').replaceAll('ẞ', 'ss')
  const view = new Uint16Array(composed.length)
  let length = 0
  for (let at = 0; at < composed.length; at++) {
    const code = composed.charCodeAt(at)
    const isSurrogate = (code & 0xf800) === 0xd800
    const keepsForm = isSurrogate || (isMark[code] === 1 && isInvisible[code] === 0)
    const folded = keepsForm ? code : code === 0x0a ? 0x20 : lookalikeFolds[code]!
    if (folded === 0 || (folded === 0x20 && length > 0 && view[length - 1] === 0x20)) continue
    view[length++] = folded
  }
  return view.subarray(0, length)
}
