// Authenticates the key of a service account. The use is noted to the minute.

import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { readPermissions } from '../../domain/access/roles.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { SessionFinder } from '../plane/authorise.ts'
import { anonymousCaller } from '../plane/caller.ts'
import { readProjects } from './service-account-rows.ts'

const minuteMs = 60_000

/** The finder returns null for a key that is unknown, or was replaced and its overlap is over. */
export function createServiceAccountFinder({ sql, now }: ManagementDependencies): SessionFinder {
  return async key => {
    const digest = tokenDigest(key)
    const time = now()
    const account = await sql
      .selectFrom('service_accounts')
      .select(['id', 'tenant_id', 'name', 'permissions', 'projects', 'expires_at', 'last_used_at'])
      .where(row =>
        row.or([
          row('key_digest', '=', digest),
          row.and([row('previous_digest', '=', digest), row('previous_until', '>', time)]),
        ]),
      )
      .executeTakeFirst()
    if (account === undefined) return null
    if (account.expires_at !== null && account.expires_at <= time) throw new Refusal('service_account_expired')
    const minute = time - (time % minuteMs)
    if ((account.last_used_at ?? 0) < minute) {
      await sql
        .updateTable('service_accounts')
        .set({ last_used_at: minute })
        .where('id', '=', account.id)
        .where(row => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', minute)]))
        .execute()
    }
    const serviceAccount = {
      id: account.id,
      tenantId: account.tenant_id,
      permissions: readPermissions(account.permissions),
      projects: readProjects(account.projects),
    }
    // Its name may be anything, an email too: what it makes must not seem to be made by a person.
    const email = `service account ${account.name}`
    return { ...anonymousCaller, kind: 'service-account', email, serviceAccount }
  }
}
