// What makes two spellings of a value one and the same: a card with and without spaces has one token. Decides nothing
// on what is restored: that is always the value as it was written.

import type { EntityType } from '../../domain/settings/settings.ts'

const byCharactersAlone: ReadonlySet<EntityType> = new Set([
  'PHONE_NUMBER',
  'US_SSN',
  'CREDIT_CARD',
  'US_BANK_NUMBER',
  'IBAN_CODE',
])

export function normalValue(type: EntityType, value: string): string {
  const plain = value
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
  if (byCharactersAlone.has(type)) return plain.replace(/[^\p{L}\p{Nd}]/gu, '')
  return plain.replace(/\s+/gu, ' ').trim()
}
