// The rows of service accounts, the fields of their requests, and how they are shown.

import { type Kysely, type Selectable, sql as text } from 'kysely'
import { z } from 'zod'
import { permissionNames } from '../../domain/access/permissions.ts'
import { readPermissions } from '../../domain/access/roles.ts'
import { accept, refuse } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { parseJson } from '../../domain/json-object.ts'
import type { Schema } from '../../storage/schema.ts'
import { checked } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'

type Reader = Pick<Kysely<Schema>, 'selectFrom'>
export type AccountRow = Selectable<Schema['service_accounts']>

const maxProjects = 100

export const listedSchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(z.enum(permissionNames)),
  projects: z.array(z.string()).nullable().meta({ description: 'The projects it is bound to; null: the whole tenant' }),
  hint: z.string().meta({ description: 'The last four characters of the key' }),
  previous_key_until: z.string().nullable().meta({ description: 'Until then the key before the rotation works too' }),
  expires_at: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  last_used_at: z.string().nullable().meta({ description: 'To the minute; null if it was never used' }),
})

export function show(row: AccountRow) {
  return {
    id: row.id,
    name: row.name,
    permissions: readPermissions(row.permissions),
    projects: readProjects(row.projects),
    hint: row.hint,
    previous_key_until: isoTime(row.previous_until),
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    created_by: row.created_by,
    last_used_at: isoTime(row.last_used_at),
  }
}

/** Null for the whole tenant; no project for a value that cannot be read. */
export function readProjects(stored: string | null): string[] | null {
  if (stored === null) return null
  const ids = parseJson(stored)
  return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : []
}

export function storeProjects(ids: readonly string[] | null): string | null {
  return ids === null ? null : JSON.stringify(ids)
}

const projectsWords = `projects must be null or a list of 1-${maxProjects} ids of projects`
const describedProjects = { type: ['array', 'null'], minItems: 1, maxItems: maxProjects, items: { type: 'string' } }

export const projectsField = checked<string[] | null>(describedProjects, value => {
  if (value === null) return accept(null)
  if (!Array.isArray(value) || value.length === 0 || value.length > maxProjects) return refuse(projectsWords)
  if (!value.every(id => typeof id === 'string' && id.length <= 64)) return refuse(projectsWords)
  return accept([...new Set<string>(value)].sort())
})

/** A project of another tenant is as unknown as one that does not exist. */
export async function checkProjects(sql: Reader, tenantId: string, ids: readonly string[] | null): Promise<void> {
  if (ids === null) return
  const found = await sql
    .selectFrom('projects')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .where('id', 'in', ids)
    .execute()
  const unknown = ids.find(id => !found.some(project => project.id === id))
  if (unknown !== undefined) {
    throw new Refusal('validation_failed', { message: `projects must be of the tenant; ${unknown} is not` })
  }
}

export async function listAccounts(
  sql: Reader,
  tenantId: string,
  after: readonly [number, string] | null,
  limit: number,
): Promise<AccountRow[]> {
  const query = sql
    .selectFrom('service_accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
  if (after === null) return await query.execute()
  return await query.where(text<boolean>`(created_at, id) > (${after[0]}, ${after[1]})`).execute()
}

export async function findAccount(sql: Reader, tenantId: string, id: string): Promise<AccountRow | undefined> {
  const all = sql.selectFrom('service_accounts').selectAll().where('tenant_id', '=', tenantId)
  return await all.where('id', '=', id).executeTakeFirst()
}
