// Wraps the secrets of attestations with the current encryption key.

import { attestationSecretContext } from '../../crypto/secrets/attestation-secret.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

interface Row {
  id: string
  tenant_id: string
  project_id: string
  kind: string
  ciphertext: string
}

const attestationSecrets: SealedRows<Row> = {
  jobName: 'rewrap-attestation-secrets',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('attestation_secrets')
      .innerJoin('projects', 'projects.id', 'attestation_secrets.project_id')
      .select(['attestation_secrets.id', 'tenant_id', 'project_id', 'kind', 'ciphertext'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('attestation_secrets.id', '>', afterId)
      .orderBy('attestation_secrets.id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id: rowId, tenant_id: tenantId, project_id: projectId, kind }) =>
    attestationSecretContext({ tenantId, projectId, rowId, kind }),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('attestation_secrets')
      .set({ ciphertext })
      .where('id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, { project_id }, reason) =>
    log.warn('attestation secret cannot be decrypted, store it again', { project_id, reason }),
}

export function rewrapAttestationSecrets(secretBox: Rewrapper, everyMs: number): Job {
  return rewrapSecrets(attestationSecrets, secretBox, everyMs)
}
