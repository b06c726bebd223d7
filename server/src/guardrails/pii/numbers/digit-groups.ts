// Reads digits in the groups that people write: 555-123 4567, (0)20 7946 0018. Bounded.

/** What separates two groups. */
export const separator = {
  none: 0,
  space: 1,
  hyphen: 2,
  dot: 3,
  slash: 4,
  close: 5,
  open: 6,
  /** Between blanks. Only telephone numbers are written with these. */
  wideHyphen: 7,
  wideSlash: 8,
} as const

export interface DigitGroups {
  start: number
  count: number
  /** All digits without separators. */
  digits: string
  lengths: Uint8Array
  /** The separator before each group; none before the first. */
  separators: Uint8Array
  ends: Int32Array
  /** The groups before the first wide separator, and how many digits they have. */
  narrowCount: number
  narrowLength: number
  /** The first groups are written as a decimal number, such as 0.804733217. */
  isDecimal: boolean
}

const maxGroups = 12
const maxDigits = 24
/** Numbers rarely have groups of one digit; a text of nothing else must not be read again at each. */
const maxSingles = 2

export function createDigitGroups(): DigitGroups {
  return {
    start: 0,
    count: 0,
    digits: '',
    lengths: new Uint8Array(maxGroups),
    separators: new Uint8Array(maxGroups),
    ends: new Int32Array(maxGroups),
    narrowCount: 0,
    narrowLength: 0,
    isDecimal: false,
  }
}

/** Reads the groups that begin at this digit into `into`. A run of more digits than any number has counts as none. */
export function readDigitGroups(into: DigitGroups, text: string, start: number, firstEnd: number): void {
  readGroups(into, text, start, firstEnd)
  let narrow = 0
  let length = 0
  while (narrow < into.count && !isWide(into.separators[narrow] as number)) length += into.lengths[narrow++] as number
  into.narrowCount = narrow
  into.narrowLength = length
}

export function isWide(parted: number): boolean {
  return parted >= separator.wideHyphen
}

function readGroups(into: DigitGroups, text: string, start: number, firstEnd: number): void {
  into.start = start
  into.count = 0
  into.digits = ''
  into.isDecimal = false
  let at = start
  let end = firstEnd
  let parted: number = separator.none
  let singles = 0
  while (into.digits.length + end - at <= maxDigits) {
    const isAfterBlank = parted <= separator.space || isWide(parted)
    if (isAfterBlank && text.charCodeAt(end) === dot && isDecimalAt(text, at, end)) {
      // A decimal number after a blank is another number, unless it may be the end of 804 733.2170.
      if (into.count > 0 && !endsNorthAmerican(into, text, at, end)) return
      into.isDecimal = true
    }
    if (end - at === 1 && ++singles > maxSingles) return
    into.lengths[into.count] = end - at
    into.separators[into.count] = parted
    into.ends[into.count++] = end
    into.digits += text.slice(at, end)
    if (into.count === maxGroups) return
    const gap = separatorAt(text, end)
    if (gap === 0) return
    parted = gap >> 2
    at = end + (gap & 3)
    end = endOfDigits(text, at)
  }
}

const dot = 0x2e

/** Whether a decimal number is written here: digits, one dot and more digits, no leading zero, no second dot. */
function isDecimalAt(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) === 0x30 && end - start > 1) return false
  const fraction = end + 1
  const next = endOfDigits(text, fraction)
  if (next === fraction) return false
  if (!isDigit(text.charCodeAt(next + 1))) return true
  const kind = kindAt(text, next)
  if (kind === separator.dot) return false
  // 804.733-2170 is not a range of decimal numbers.
  const isTelephone = end - start === 3 && next - fraction === 3
  return !(isTelephone && (kind === separator.hyphen || kind === separator.slash))
}

function endsNorthAmerican({ count, lengths }: DigitGroups, text: string, start: number, end: number): boolean {
  return lengths[count - 1] === 3 && end - start === 3 && endOfDigits(text, end + 1) - end === 5
}

/** Stops after more digits than any number has. */
function endOfDigits(text: string, start: number): number {
  let at = start
  while (at - start <= maxDigits && isDigit(text.charCodeAt(at))) at++
  return at
}

/** The kind of separator times four plus its length, or 0 if no digit follows. */
function separatorAt(text: string, at: number): number {
  const kind = kindAt(text, at)
  if (kind === 0) return 0
  if (isDigit(text.charCodeAt(at + 1))) return kind * 4 + 1
  const second = kindAt(text, at + 1)
  if (kind === separator.space && (second === separator.hyphen || second === separator.slash)) {
    return isWideAt(text, at) ? (second === separator.hyphen ? separator.wideHyphen : separator.wideSlash) * 4 + 3 : 0
  }
  if (kind === separator.close && second !== 0) {
    if (isDigit(text.charCodeAt(at + 2))) return separator.close * 4 + 2
    const opensAgain = second === separator.space && kindAt(text, at + 2) === separator.open
    return opensAgain && isDigit(text.charCodeAt(at + 3)) ? separator.close * 4 + 3 : 0
  }
  if (second === separator.open && isDigit(text.charCodeAt(at + 2))) return separator.open * 4 + 2
  if (kind === separator.space && second === separator.close) {
    const third = kindAt(text, at + 2)
    const width = third === separator.space ? 3 : 2
    return isDigit(text.charCodeAt(at + width)) ? separator.close * 4 + width : 0
  }
  return 0
}

/** A blank, a mark, a blank and at least two digits: one digit begins the next thing, such as an hour. */
function isWideAt(text: string, at: number): boolean {
  return text.charCodeAt(at + 2) === 0x20 && isDigit(text.charCodeAt(at + 3)) && isDigit(text.charCodeAt(at + 4))
}

function kindAt(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x20:
      return separator.space
    case 0x2d:
      return separator.hyphen
    case 0x2e:
      return separator.dot
    case 0x2f:
      return separator.slash
    case 0x28:
      return separator.open
    case 0x29:
      return separator.close
    default:
      return 0
  }
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
