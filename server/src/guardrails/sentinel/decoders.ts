// Decodes the encodings that a model understands without instructions: escapes in place, and payloads in base64 or hex.
// Every expression must be bounded, and every run is read once.

const maxDecoded = 8_192
const minPrintable = 0.9

const entity =
  /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos|nbsp|excl|num|colon|comma|period|lsqb|rsqb|sol));?/gi
const percents = /(?:%[0-9a-f]{2}){1,256}/gi
const escaped = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt]))/gi

const namedEntities: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  excl: '!',
  num: '#',
  colon: ':',
  comma: ',',
  period: '.',
  lsqb: '[',
  rsqb: ']',
  sol: '/',
}

const escapeStart = /&(?:#|[a-z]{2})|%[0-9a-f]{2}|\\[unrtx]/gi

/** Where escapes may begin. */
export function findEscapes(text: string): number[] {
  if (!text.includes('&') && !text.includes('%') && !text.includes('\\')) return []
  return Array.from(text.matchAll(escapeStart), ({ index }) => index)
}

/** The text with entities, percent and backslash escapes decoded; null if it has none. */
export function unescapeText(text: string): string | null {
  let plain = text
  if (plain.includes('&')) plain = plain.replace(entity, readEntity)
  if (plain.includes('%')) plain = plain.replace(percents, run => bytesToText(run.replaceAll('%', '')))
  if (plain.includes('\\')) plain = plain.replace(escaped, readEscape)
  return plain === text ? null : plain
}

function readEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return namedEntities[name.toLowerCase()] ?? whole
  return characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal), whole)
}

function readEscape(whole: string, braced?: string, four?: string, two?: string, space?: string): string {
  if (space !== undefined) return ' '
  const digits = braced ?? four ?? two
  return digits === undefined ? whole : characterOf(Number.parseInt(digits, 16), whole)
}

function characterOf(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise
}

function bytesToText(hex: string): string {
  return Buffer.from(hex, 'hex').toString('utf8')
}

export const minPayloadLength = 16
/** The first of eight may follow a letter directly. */
export const minPairs = 7
const base64Run = /[A-Za-z0-9+/_-]{16,8192}/g
const hexRun = /[0-9A-Fa-f]{16,8192}/g
const hexPairs = /(?:[0-9A-Fa-f]{2}[ ,:;]{1,2}){7,2048}[0-9A-Fa-f]{2}/g
/** Anchored at the line break, so that a long run is not read again at each of its letters. */
const lineBreakInRun = /\r?\n(?<=[A-Za-z0-9+/]{40}\r?\n)(?=[A-Za-z0-9+/]{4})/g

/**
 * The decoded payloads of the text, one per line; null if there is none that can be read. `pairs` is the minimum number
 * of separate hex pairs.
 */
export function decodePayloads(text: string, pairs: number): string | null {
  const payloads: string[] = []
  let room = maxDecoded
  const add = (bytes: Buffer): void => {
    const plain = bytes.subarray(0, room).toString('utf8')
    if (!isPrintable(plain)) return
    room -= plain.length
    payloads.push(plain)
  }
  for (const [run] of text.replace(lineBreakInRun, '').matchAll(base64Run)) {
    const start = findBase64Start(run)
    if (room > 0 && start !== -1) add(Buffer.from(run.slice(start), 'base64'))
  }
  for (const [run] of text.matchAll(hexRun)) if (room > 0) add(Buffer.from(run, 'hex'))
  if (pairs >= minPairs) {
    for (const [run] of text.matchAll(hexPairs)) if (room > 0) add(Buffer.from(run.replace(/[ ,:;]/g, ''), 'hex'))
  }
  return payloads.length === 0 ? null : payloads.join('\n')
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'
const base64Values = new Uint8Array(128)
for (const [place, digit] of [...base64Digits].entries()) {
  // The last two are alternatives to the two before them.
  base64Values[digit.charCodeAt(0)] = place < 64 ? place : place - 2
}
const probedDigits = 24

/** Letters may precede the payload without a space: each of the four alignments is tried on its beginning. */
function findBase64Start(run: string): number {
  for (let start = 0; start < 4 && run.length - start >= minPayloadLength - 4; start++) {
    if (!mayBePrintable(run, start)) continue
    if (isPrintable(Buffer.from(run.slice(start, start + probedDigits), 'base64').toString('utf8'))) return start
  }
  return -1
}

/** Rejects most names in code without decoding them: so short a beginning must not have two bytes that are not text. */
function mayBePrintable(run: string, start: number): boolean {
  let bits = 0
  let continuations = 0
  let unreadable = 0
  const end = Math.min(run.length, start + probedDigits)
  for (let at = start; at < end; at++) {
    bits = (bits << 6) | base64Values[run.charCodeAt(at)]!
    const digit = (at - start) & 3
    if (digit === 0) continue
    const byte = (bits >> (6 - 2 * digit)) & 0xff
    if (byte < 0x80) {
      continuations = 0
      if ((byte < 0x20 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f) unreadable++
    } else if (byte >= 0xc0) continuations = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1
    else if (continuations > 0) continuations--
    else unreadable++
    if (unreadable > 1) return false
  }
  return true
}

function isPrintable(text: string): boolean {
  let printable = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || (code > 0xa0 && code !== 0xfffd)) printable++
  }
  return text.length >= 6 && printable > text.length * minPrintable
}
