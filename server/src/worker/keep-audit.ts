// Drops the months of the audit that are older than AUDIT_DAYS, each chain going on from a signed entry, and records
// how many refused acts were only counted.

import { signAuditHead } from '../crypto/keys/sign-audit-head.ts'
import type { SigningKey } from '../crypto/keys/signing-key.ts'
import { dayMs } from '../domain/day.ts'
import { appendEntry, lockChain } from '../storage/audit/append-entry.ts'
import { dropEntries, findOldChain, startChainAt } from '../storage/audit/audit-rows.ts'
import { maxRefusalsAMinute, takeRefusals } from '../storage/audit/refusals.ts'
import { transact } from '../storage/transact.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

const atOnce = 500

export function keepAudit(signingKey: SigningKey, auditDays: number, everyMs: number): Job {
  return {
    name: 'keep-audit',
    everyMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      await recordCounts(dependencies)
      await inPages(signal, () => dropMonths(dependencies, signingKey, auditDays))
    },
  }
}

async function recordCounts({ sql, now }: WorkerDependencies): Promise<void> {
  const time = now()
  await transact(sql, async trx => {
    for (const { tenant_id: chain, actor, count } of await takeRefusals(trx, time)) {
      const entry = {
        tenant_id: chain,
        actor: { kind: 'system' as const, id: null, name: 'worker' },
        authenticated_by: 'none',
        address: null,
        user_agent: null,
        action: 'audit.count_refusals',
        target: { type: 'actor', id: actor, name: null },
        before: null,
        after: { not_recorded: count - maxRefusalsAMinute },
        outcome: 'done' as const,
        reason: null,
        request_id: null,
      }
      await appendEntry(trx, await lockChain(trx, chain), entry, { at: time })
    }
  })
}

/** Returns whether there may be more. The new start is stored first: entries before it count as dropped. */
async function dropMonths(
  { sql, now }: WorkerDependencies,
  signingKey: SigningKey,
  auditDays: number,
): Promise<boolean> {
  const oldest = new Date(now() - auditDays * dayMs)
  const last = await findOldChain(sql, Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()))
  if (last === null) return false
  const signature = await signAuditHead(signingKey, { ...last, signed_at: new Date(now()).toISOString() })
  await startChainAt(sql, last, signature)
  await dropEntries(sql, last.chain, last.seq, atOnce)
  return true
}
