// Where the secrets of attestations are sealed for.
import type { SecretContext } from './secret-box.ts'

/** A secret is sealed for its project and kind: a row that was moved does not open. */
export function attestationSecretContext({
  tenantId,
  projectId,
  rowId,
  kind,
}: Record<'tenantId' | 'projectId' | 'rowId' | 'kind', string>) {
  return { purpose: 'attestation-secret', tenantId, rowId, bound: [projectId, kind] } satisfies SecretContext
}
