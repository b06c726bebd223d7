// What a stored provider key is bound to: its tenant, row and provider, and the address that it may be sent to. A
// ciphertext that was moved, or whose address was edited, must not open, so reader and writer both use this function.

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
