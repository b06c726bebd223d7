// Cuts a long text into overlapping slices, at white space if possible, so that no scanner holds the thread for the
// whole text and no short match is lost at a border.

export interface Slice {
  /** The slice's offset in the whole text. */
  start: number
  text: string
}

const sliceLength = 8_192
/** Longer than any match. */
const overlap = 512
const widestSearch = 256

export function* sliceText(text: string): Generator<Slice> {
  let start = 0
  while (text.length - start > sliceLength + overlap) {
    const end = findCut(text, start + sliceLength)
    yield { start, text: text.slice(start, end) }
    start = findCut(text, end - overlap)
  }
  yield { start, text: start === 0 ? text : text.slice(start) }
}

/** The offset after the last white space before `near`, or `near` itself, but never inside a surrogate pair. */
function findCut(text: string, near: number): number {
  for (let at = near; at > near - widestSearch; at--) if (isSpace(text.charCodeAt(at - 1))) return at
  const isInsidePair = (text.charCodeAt(near) & 0xfc00) === 0xdc00
  return isInsidePair ? near - 1 : near
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
