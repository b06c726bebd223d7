// Wraps stored provider keys with the current encryption key, so that the earlier one can be removed. The keys
// themselves stay sealed; the sync cycle pushes the new envelopes to the store by their tenant's revision.

import type { Selectable } from 'kysely'
import { SealedSecretError, type SecretBox } from '../crypto/secrets/secret-box.ts'
import { providerKeyContext } from '../providers/provider-key-context.ts'
import { raiseProviderKeysRevision } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'
import { transact } from '../storage/transact.ts'
import type { Job, WorkerDependencies } from './job.ts'

const pageSize = 200

type Row = Pick<
  Selectable<Schema['provider_keys']>,
  'id' | 'tenant_id' | 'provider_type' | 'ciphertext' | 'base_url_override'
>
type Rewrapper = Pick<SecretBox, 'prefixes' | 'rewrap'>

export function rewrapProviderKeys(secretBox: Rewrapper, everyMs: number): Job {
  /** The rows that the last complete run could not open: each is logged once, not in every cycle. */
  let known: ReadonlySet<string> = new Set()
  return {
    name: 'rewrap-provider-keys',
    everyMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      const unopened = new Set<string>()
      let afterId = ''
      while (!signal.aborted) {
        const page = await listForeign(dependencies, secretBox.prefixes[0], afterId)
        if (page.length === 0) {
          known = unopened
          return
        }
        for (const row of page) {
          const reason = await rewrapRow(dependencies, secretBox, row)
          if (reason === null) continue
          unopened.add(row.id)
          if (!known.has(row.id)) warn(dependencies, row, reason)
        }
        afterId = page.at(-1)?.id ?? ''
      }
    },
  }
}

async function listForeign({ sql }: WorkerDependencies, currentMark: string, afterId: string): Promise<Row[]> {
  return await sql
    .selectFrom('provider_keys')
    .select(['id', 'tenant_id', 'provider_type', 'ciphertext', 'base_url_override'])
    .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(pageSize)
    .execute()
}

/** Returns why the row cannot be opened, or null. One bad row does not stop the others. */
async function rewrapRow(
  dependencies: WorkerDependencies,
  secretBox: Rewrapper,
  row: Row,
): Promise<SealedSecretError['reason'] | null> {
  const ciphertext = findRewrapped(secretBox, row)
  if (ciphertext instanceof SealedSecretError) return ciphertext.reason
  await transact(dependencies.sql, async trx => {
    // The tenant first: every writer of its keys locks in this order.
    await raiseProviderKeysRevision(trx, row.tenant_id)
    // A key that was stored or deleted meanwhile stays unchanged.
    await trx
      .updateTable('provider_keys')
      .set({ ciphertext })
      .where('id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  })
  return null
}

function findRewrapped(secretBox: Rewrapper, row: Row): string | SealedSecretError {
  const { id: rowId, tenant_id: tenantId, provider_type: providerType, base_url_override: baseUrlOverride } = row
  try {
    return secretBox.rewrap(row.ciphertext, providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }))
  } catch (error) {
    if (error instanceof SealedSecretError) return error
    throw error
  }
}

function warn({ log }: WorkerDependencies, { tenant_id }: Row, reason: SealedSecretError['reason']): void {
  log.warn('provider key cannot be decrypted, store it again', { tenant_id, reason })
}
