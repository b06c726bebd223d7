// The checksums of numbers, and those that a project may ask for.

import type { Checksum } from '../../domain/settings/custom-entities.ts'

export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let back = 0; back < digits.length; back++) {
    const digit = digits.charCodeAt(digits.length - 1 - back) - 0x30
    sum += back % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit
  }
  return sum % 10 === 0
}

/** The first four characters move to the end, letters count from 10, and the remainder modulo 97 must be 1. */
export function passesMod97(iban: string): boolean {
  let rest = 0
  for (let at = 0; at < iban.length; at++) {
    const code = iban.charCodeAt((at + 4) % iban.length)
    rest = code <= 0x39 ? (rest * 10 + code - 0x30) % 97 : (rest * 100 + code - 0x37) % 97
  }
  return rest === 1
}

const minDigits = 2

export function passesChecksum(checksum: Checksum | undefined, value: string): boolean {
  if (checksum === undefined) return true
  if (checksum === 'luhn') {
    const digits = value.replace(/[^0-9]/g, '')
    return digits.length >= minDigits && passesLuhn(digits)
  }
  const characters = value.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  // The check digits are the last two, as in an LEI, or come after two letters, as in an IBAN.
  return (
    characters.length > 4 && (passesMod97(characters.slice(-4) + characters.slice(0, -4)) || passesMod97(characters))
  )
}
