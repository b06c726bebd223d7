// Normalises a text for the scanners: digits of every script and full width become plain ones, blanks and dashes of
// every kind become one, percent-encoded characters of URLs are decoded, invisible characters are removed. Maps offsets
// back to the original text. A plain text is its own view.

import type { Finding } from '../finding.ts'
import { hasEncoded, leadsToAtSign, percent, readEncoded, staysInUrl } from './percent-encoding.ts'

export interface NormalView {
  text: string
  /**
   * By offset in the view: where that character begins in the original, and its width there. Null if both texts are
   * equal.
   */
  origin: { starts: Uint32Array; widths: Uint8Array } | null
}

/** Marks a character that the view omits. */
const dropped = 1
const wideMathBlock = 0xd835
const tagBlock = 0xdb40

const zeros =
  '0660 06f0 07c0 0966 09e6 0a66 0ae6 0b66 0be6 0c66 0ce6 0d66 0de6 0e50 0ed0 0f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 ' +
  '1bb0 1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10'
/** From, to and the replacement; omitted if there is none. */
const ranges =
  'ff01-ff5e:! 00a0:_ 1680:_ 2000-200a:_ 202f:_ 205f:_ 3000:_ 2028-2029:n 2010-2015:- 2212:- fe58:- fe63:- 2043:- 207b:- ' +
  "2018-201b:' 2032:' 02bc:' 201c-201f:q 2024:. fe52:. 3002:. ff61:. fe55:c 2236:c a789:c fe6b:@ 2044:s 2215:s 2795:p 00ad: 034f: " +
  '061c: 115f-1160: 17b4-17b5: 180b-180f: 200b-200f: 202a-202e: 2060-206f: 3164: fe00-fe0f: feff: ffa0: fff9-fffb:'
const seenAs: Readonly<Record<string, number>> = {
  _: 0x20,
  n: 0x0a,
  '-': 0x2d,
  "'": 0x27,
  q: 0x22,
  '.': 0x2e,
  c: 0x3a,
  '@': 0x40,
  s: 0x2f,
  p: 0x2b,
}

/** By code unit: 0 unchanged, 1 omitted, otherwise the replacement. */
const folds = (() => {
  const table = new Uint16Array(65_536)
  for (const range of ranges.split(' ')) {
    const [codes = '', as = ''] = range.split(':')
    const [from = 0, to = from] = codes.split('-').map(code => Number.parseInt(code, 16))
    for (let code = from; code <= to; code++)
      table[code] = as === '!' ? code - 0xfee0 : as === '' ? dropped : (seenAs[as] as number)
  }
  for (const zero of zeros.split(' '))
    for (let digit = 0; digit < 10; digit++) table[Number.parseInt(zero, 16) + digit] = 0x30 + digit
  return table
})()

const beyondAscii = /[\u0080-\uffff]/

export function createNormalView(text: string): NormalView {
  const from = firstFolded(text)
  if (from === -1) return { text, origin: null }
  const codes = new Uint16Array(text.length)
  const starts = new Uint32Array(text.length)
  const widths = new Uint8Array(text.length)
  let length = 0
  let isInUrl = false
  for (let at = 0, width = 1; at < text.length; at += width) {
    const code = text.charCodeAt(at)
    let fold = foldAt(text, at, code)
    width = fold !== 0 && (code === wideMathBlock || code === tagBlock) ? 2 : 1
    if (code === percent) {
      const encoded = readEncoded(text, at)
      if (encoded.code !== 0 && (isInUrl || leadsToAtSign(text, at))) {
        isInUrl = true
        fold = encoded.code
        width = encoded.width
      }
    } else isInUrl = staysInUrl(code, isInUrl)
    if (fold !== dropped) {
      codes[length] = fold === 0 ? code : fold
      starts[length] = at
      widths[length++] = width
    }
  }
  return { text: textOf(codes, length), origin: { starts, widths } }
}

function firstFolded(text: string): number {
  if (hasEncoded(text)) return 0
  const from = text.search(beyondAscii)
  if (from === -1) return -1
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f && foldAt(text, at, code) !== 0) return at
  }
  return -1
}

function foldAt(text: string, at: number, code: number): number {
  if (code === wideMathBlock) return foldMath(text.charCodeAt(at + 1))
  if (code === tagBlock) {
    const low = text.charCodeAt(at + 1)
    return (low >= 0xdc00 && low <= 0xdc7f) || (low >= 0xdd00 && low <= 0xddef) ? dropped : 0
  }
  return folds[code] as number
}

/** Mathematical letters and digits, by the low half of the pair. */
function foldMath(low: number): number {
  if (low >= 0xdfce && low <= 0xdfff) return 0x30 + ((low - 0xdfce) % 10)
  if (!(low >= 0xdc00 && low < 0xdea8)) return 0
  const letter = (low - 0xdc00) % 52
  return letter < 26 ? 0x41 + letter : 0x61 + letter - 26
}

const chunk = 4_096

function textOf(codes: Uint16Array, length: number): string {
  let text = ''
  for (let at = 0; at < length; at += chunk)
    text += String.fromCharCode(...codes.subarray(at, Math.min(at + chunk, length)))
  return text
}

/** The match in the original text; invisible characters inside it belong to it. */
export function toOriginal(view: NormalView, find: Finding): Finding {
  if (view.origin === null) return find
  const { starts, widths } = view.origin
  const last = find.end - 1
  return { ...find, start: starts[find.start] as number, end: (starts[last] as number) + (widths[last] as number) }
}
