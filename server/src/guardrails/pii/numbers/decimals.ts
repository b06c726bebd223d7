// Recognises digits after a decimal point or comma, which are never personal data. Looks at a bounded number of
// characters.

import { type DigitGroups, isDigit } from './digit-groups.ts'

/** Whether the digits follow a decimal point or comma. `isCell` returns whether a cell of a table ends at an offset. */
export function isFraction(text: string, groups: DigitGroups, isCell: (end: number) => boolean): boolean {
  const { start } = groups
  switch (text.charCodeAt(start - 1)) {
    case 0x2e: // .
      return text.charCodeAt(start - 2) !== 0x2e
    case 0xb7: // ·
    case 0x66b: // ٫
      return isDigit(text.charCodeAt(start - 2))
    case 0x2c: // ,
      return (
        isDigit(text.charCodeAt(start - 2)) && isAfterDecimalComma(text, groups) && !isCell(groups.ends[0] as number)
      )
    default:
      return false
  }
}

/** 0,804733217 and = 12,804733217, but neither a row of values nor 030,804733217. */
function isAfterDecimalComma(text: string, groups: DigitGroups): boolean {
  const comma = groups.start - 1
  let whole = comma
  while (comma - whole <= 3 && isDigit(text.charCodeAt(whole - 1))) whole--
  const isZero = text.charCodeAt(whole) === 0x30
  if (comma - whole > (isZero ? 1 : 3)) return false
  const end = groups.ends[0] as number
  if (text.charCodeAt(end) === 0x2c && text.charCodeAt(end + 1) !== 0x20) return false
  const before = text.charAt(whole - 1)
  // At the beginning of a line, a number before a comma may be a row number.
  return (isZero ? beforeZero : beforeWhole).has(before)
}

const beforeWhole = new Set(' \t|-+=(;:<>~')
const beforeZero = new Set(['', '\n', ...beforeWhole])
