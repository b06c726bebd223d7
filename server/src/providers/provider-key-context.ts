// What a stored provider key is sealed for: its tenant, row and provider, and the address that it may be sent to. Who
// moves a ciphertext or edits the address under it can no longer open it. Writer and reader both take it from here.

import type { SecretContext } from '../crypto/secrets/secret-box.ts'

interface KeyPlace {
  tenantId: string
  rowId: string
  providerType: string
  baseUrlOverride: string | null
}

export function providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }: KeyPlace): SecretContext {
  return { purpose: 'provider-key', tenantId, rowId, bound: [providerType, baseUrlOverride ?? ''] }
}
