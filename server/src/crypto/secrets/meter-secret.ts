// Where the secrets of meters are sealed for.
import type { SecretContext } from './secret-box.ts'

/** A secret is sealed for its meter, format and address: one whose address was edited does not open. */
export function meterSecretContext({
  tenantId,
  meterId,
  format,
  url,
}: Record<'tenantId' | 'meterId' | 'format' | 'url', string>) {
  return { purpose: 'meter-secret', tenantId, rowId: meterId, bound: [format, url] } satisfies SecretContext
}
