// Normalises a value so that its spellings share a token: a card number with and without spaces. Must not affect what
// is restored, which is always the original spelling.

import { normalForm } from '../../domain/normal-form.ts'
import type { EntityName } from '../../domain/settings/settings.ts'

const byCharactersAlone: ReadonlySet<EntityName> = new Set([
  'PHONE_NUMBER',
  'US_SSN',
  'CREDIT_CARD',
  'US_BANK_NUMBER',
  'IBAN_CODE',
])

export function normalValue(type: EntityName, value: string): string {
  // Every character counts.
  if (type === 'CREDENTIAL') return value
  const plain = normalForm(value, 'NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
  if (byCharactersAlone.has(type)) return plain.replace(/[^\p{L}\p{Nd}]/gu, '')
  return plain.replace(/\s+/gu, ' ').trim()
}
