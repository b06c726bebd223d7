// Checks US social security numbers: which were ever issued.

/** No area 000, 666 or from 900 on, no group 00, no serial 0000. */
export function isSsn(digits: string): boolean {
  if (digits.length !== 9) return false
  const area = digits.slice(0, 3)
  if (area === '000' || area === '666' || area >= '900') return false
  return digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000'
}

/** Numbers from advertisements and manuals: valid, but of no person. */
export function isSampleSsn(digits: string): boolean {
  return digits === '078051120' || digits === '219099999' || digits === '123456789'
}
