// What a route declares of its act for the audit: the action, its target, and where to read what it changes. Secrets
// are left out where the differences are computed.

import { type Kysely, sql as text } from 'kysely'
import type { JsonObject } from '../../../domain/json-object.ts'
import type { Schema } from '../../../storage/schema.ts'

/** Where an act takes place. Empty where the path leads to none. */
export interface ActPlace {
  tenant: string
  project: string
  target: string
}

export type ReadTarget = (sql: Kysely<Schema>, place: ActPlace) => Promise<JsonObject | undefined>

export interface AuditFacts {
  /** What is done to what, such as `tier.update`. */
  action: string
  /** The path parameter with the target's id. Without one it is the project, the tenant, or what the work notes. */
  target?: string
  /** The id itself, where the path has it as a word. */
  targetId?: string
  /** Reads what the act may change, before it and after it. */
  read?: ReadTarget
  /** Reading is the act itself; `sometimes` if the handler finds out whether there is something to record. */
  reads?: 'always' | 'sometimes'
  /** Belongs in the installation's chain, though the path names a tenant. */
  ofInstallation?: true
}

export type Audited = AuditFacts | null

type Columns = Record<string, keyof ActPlace>

/** The row of a table whose columns have these ids. */
export function rowOf(table: keyof Schema, columns: Columns): ReadTarget {
  return async (sql, place) => {
    const isAt = Object.entries(columns).map(([column, id]) => text`${text.ref(column)} = ${place[id]}`)
    const found = text<JsonObject>`select * from ${text.table(table)} where ${text.join(isAt, text` and `)} limit 1`
    return (await found.execute(sql)).rows[0]
  }
}

/** The parameter of a path that says what kind of thing the target is. */
const kinds: Record<string, string> = {
  tenantId: 'tenant',
  projectId: 'project',
  keyId: 'api_key',
  tierId: 'tier',
  userId: 'user',
  sessionId: 'session',
  passkeyId: 'passkey',
  invitationId: 'invitation',
  serviceAccountId: 'service_account',
  credentialId: 'operator_credential',
  webhookId: 'webhook',
  roleName: 'role',
  promptName: 'prompt',
  providerType: 'provider',
  slug: 'custom_provider',
  providerId: 'catalog_provider',
  requestId: 'request',
  uid: 'end_user',
}

/** The kind of target: that of its parameter, else the first part of the action. */
export function targetTypeOf({ action, target }: AuditFacts): string {
  return (target === undefined ? undefined : kinds[target]) ?? action.split('.')[0] ?? action
}
