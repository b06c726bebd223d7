// Replaces parts of texts, also inside a JSON text: every character outside of the replaced parts stays as it is
// written there.

import { type JsonPlace, visitPlaces } from '../domain/json/json-places.ts'

/** [start, end) of the text becomes `cover`. */
export interface Edit {
  start: number
  end: number
  cover: string
}

/** Edits are in the order of the text and do not overlap. Returns an empty list to keep a text. */
export interface Replacement {
  text(text: string): readonly Edit[]
  /** Of the arguments of a call. */
  call(text: string): readonly Edit[]
}

export function editText(text: string, edits: readonly Edit[]): string {
  return edits.length === 0 ? text : spliced(text, edits)
}

/** Edits the texts and arguments at the places of a JSON text. */
export function editJson(json: string, place: JsonPlace, replacement: Replacement): string {
  const edits: Edit[] = []
  visitPlaces(json, place, (kind, start, end) => {
    const raw = json.slice(start, end)
    if (kind === 'object') for (const edit of replacement.call(raw)) edits.push(moved(edit, start))
    else for (const edit of editsOfString(raw, replacement[kind])) edits.push(moved(edit, start))
  })
  return editText(json, edits)
}

function moved({ start, end, cover }: Edit, by: number): Edit {
  return { start: start + by, end: end + by, cover }
}

/** `raw` includes the quotes. */
function editsOfString(raw: string, editsOf: (text: string) => readonly Edit[]): Edit[] {
  const rawPlaceOf = createRawPlaces(raw)
  return editsOf(raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)).map(({ start, end, cover }) => ({
    start: rawPlaceOf(start),
    end: rawPlaceOf(end),
    cover: JSON.stringify(cover).slice(1, -1),
  }))
}

/** Maps offsets of a string's value, in their order, to offsets of the text between its quotes. */
function createRawPlaces(raw: string): (place: number) => number {
  let [known, at] = [0, 1]
  return place => {
    for (; known < place; known++) {
      if (raw[at] !== '\\') at++
      else at += raw[at + 1] === 'u' ? 6 : 2
    }
    return at
  }
}

function spliced(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = []
  let to = 0
  for (const { start, end, cover } of edits) {
    pieces.push(text.slice(to, start), cover)
    to = end
  }
  pieces.push(text.slice(to))
  return pieces.join('')
}
