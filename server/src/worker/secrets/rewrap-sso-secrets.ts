// Wraps the secrets of single sign-on with the current encryption key: client secrets of tenants, and refresh tokens.

import { clientSecretContext, refreshTokenContext } from '../../oidc/sealed-secrets.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

interface ClientSecret {
  id: string
  issuer: string
  client_id: string
  ciphertext: string
}

const clientSecrets: SealedRows<ClientSecret> = {
  jobName: 'rewrap-sso-secrets',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('sso_connections')
      .select(['tenant_id as id', 'issuer', 'client_id', 'ciphertext'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('tenant_id', '>', afterId)
      .orderBy('tenant_id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id: tenantId, issuer, client_id: clientId }) => clientSecretContext({ tenantId, issuer, clientId }),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('sso_connections')
      .set({ ciphertext })
      .where('tenant_id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, { id }, reason) =>
    log.warn('client secret of a single sign-on cannot be decrypted, store it again', { tenant_id: id, reason }),
}

interface RefreshToken {
  id: string
  tenant_id: string | null
  ciphertext: string
}

const refreshTokens: SealedRows<RefreshToken> = {
  jobName: 'rewrap-refresh-tokens',
  list: async ({ sql }, currentMark, afterId) => {
    const rows = await sql
      .selectFrom('sessions')
      .select(['token_digest as id', 'tenant_id', 'refresh_token as ciphertext'])
      .where('refresh_at', 'is not', null)
      .where(row =>
        row(row.fn('substr', ['refresh_token', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark),
      )
      .where('token_digest', '>', afterId)
      .orderBy('token_digest')
      .limit(pageSize)
      .execute()
    return rows.flatMap(({ ciphertext, ...row }) => (ciphertext === null ? [] : [{ ...row, ciphertext }]))
  },
  contextOf: ({ id, tenant_id: tenantId }) => refreshTokenContext(tenantId ?? '', id),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('sessions')
      .set({ refresh_token: ciphertext })
      .where('token_digest', '=', row.id)
      .where('refresh_token', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, _row, reason) => log.warn('refresh token of a session cannot be decrypted', { reason }),
}

export function rewrapSsoSecrets(secretBox: Rewrapper, everyMs: number): Job[] {
  return [rewrapSecrets(clientSecrets, secretBox, everyMs), rewrapSecrets(refreshTokens, secretBox, everyMs)]
}
