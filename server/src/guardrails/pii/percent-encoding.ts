// Decodes percent-encoded characters, and recognises where a URL has values. Outside URLs and encoded e-mail addresses
// a percent sign with two digits means something else: a percentage, or a format such as %2d.

export const percent = 0x25
const atSign = 0x40
const form = /%[02-7][0-9a-f]/i
/** An encoded percent sign within an encoded character: %2540 is %40 in the decoded URL. */
const maxEncodedPercents = 3

export function hasEncoded(text: string): boolean {
  return form.test(text)
}

export interface Encoded {
  /** 0 if nothing is encoded. */
  code: number
  width: number
}

const nothing: Encoded = { code: 0, width: 1 }

/** The printable character, tab or line end that is encoded at this percent sign. */
export function readEncoded(text: string, at: number): Encoded {
  let digits = at + 1
  for (let depth = 0; depth < maxEncodedPercents && text.startsWith('25', digits); depth++) digits += 2
  const code = 16 * hexValue(text.charCodeAt(digits)) + hexValue(text.charCodeAt(digits + 1))
  const isRead = (code >= 0x20 && code < 0x7f) || code === 0x09 || code === 0x0a || code === 0x0d
  // Directly before an at-sign it is a literal part of an address.
  return isRead && text.charCodeAt(digits + 2) !== atSign ? { code, width: digits + 2 - at } : nothing
}

/** NaN if it is not a hex digit. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

const toAtSign = /[^\s"'<>`]{0,80}?%(?:25){0,3}40/y

/** Whether the run of characters from here has an encoded at-sign, as in "%3Cname%40host%3E". */
export function leadsToAtSign(text: string, at: number): boolean {
  toAtSign.lastIndex = at
  return toAtSign.test(text)
}

const opens = 1
const ends = 2
const marks = Uint8Array.from({ length: 128 }, (_, code) => {
  const mark = String.fromCharCode(code)
  if ('/?&=:#'.includes(mark)) return opens
  return ' \t\r\n"\'<>`'.includes(mark) ? ends : 0
})

/** Whether the text after this character may be a value in a URL, given whether the character was one. */
export function staysInUrl(code: number, isInUrl: boolean): boolean {
  const mark = marks[code]
  return mark === opens || (isInUrl && mark !== ends)
}
