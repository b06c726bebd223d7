// Service accounts of a tenant: create, list, change, rotate, delete. The key is returned once and stored as a digest.
// Nobody makes, changes or gets the key of an account that holds more than they do.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { keyHint, newServiceAccountKey, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { permissionNames } from '../../domain/access/permissions.ts'
import { checkPermissions, readPermissions } from '../../domain/access/roles.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Owned } from '../plane/caller.ts'
import { checkExpiry, checked, checkName, expiryField, overlapField, pageQuery } from '../plane/fields.ts'
import { checkHeld } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import {
  type AccountRow,
  checkProjects,
  findAccount,
  listAccounts,
  listedSchema,
  projectsField,
  show,
  storeProjects,
} from './service-account-rows.ts'

const maxAccounts = 100
const path = '/auth/v1/tenants/:tenantId/service-accounts'
const onePath = `${path}/:serviceAccountId`
const common = { credential: 'session', owner: 'tenant', permission: 'service_accounts:write' } as const

const described = { type: 'array', minItems: 1, items: { type: 'string', enum: permissionNames } }
const permissionsField = checked(described, checkPermissions)
const withKeySchema = z.object({
  id: z.string(),
  key: z.string().meta({ description: 'Only this response contains it' }),
})

export function serviceAccountRoutes(management: ManagementDependencies): Route[] {
  return [
    listRoute(management),
    createRoute(management),
    changeRoute(management),
    rotateRoute(management),
    deleteRoute(management),
  ]
}

function listRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'GET',
    path,
    operation: 'listServiceAccounts',
    summary: 'List the service accounts of a tenant, without their keys',
    query: pageQuery,
    answers: { 200: z.object({ data: z.array(listedSchema), next_cursor: z.string().nullable() }) },
    async handle({ owned, query }) {
      const page = getPage(query, { list: ['service-accounts', owned.tenant.id], key: ['number', 'string'] })
      const found = await listAccounts(sql, owned.tenant.id, page.after, page.limit + 1)
      const rows = found.slice(0, page.limit)
      const last = found.length > page.limit ? rows.at(-1) : undefined
      const next_cursor = last === undefined ? null : page.cursorAfter([last.created_at, last.id])
      return { status: 200, body: { data: rows.map(show), next_cursor } }
    },
  })
}

function createRoute({ sql, now, randomId }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'POST',
    path,
    operation: 'createServiceAccount',
    audit: { action: 'service_account.create', read: rowOf('service_accounts', { id: 'target' }) },
    summary: 'Create a service account; only this response contains its key',
    body: z.object({
      name: checkName,
      permissions: permissionsField,
      projects: projectsField.default(null),
      expires_at: expiryField.default(null),
    }),
    answers: { 201: withKeySchema },
    refusals: ['permission_missing', 'service_account_limit'],
    idempotency: 'secret',
    async handle({ caller, owned, body }) {
      const { name, permissions, projects, expires_at } = body
      checkHeld(permissions, owned.permissions)
      checkExpiry(expires_at, now())
      const key = newServiceAccountKey(randomBytes)
      const account: AccountRow = {
        id: randomId(),
        tenant_id: owned.tenant.id,
        name,
        permissions: JSON.stringify(permissions),
        projects: storeProjects(projects),
        key_digest: tokenDigest(key),
        hint: keyHint(key),
        previous_digest: null,
        previous_until: null,
        expires_at,
        created_at: now(),
        created_by: caller.email,
        last_used_at: null,
      }
      await transact(sql, async trx => {
        await lockTenant(trx, owned.tenant.id)
        await checkProjects(trx, owned.tenant.id, projects)
        const others = await listAccounts(trx, owned.tenant.id, null, maxAccounts)
        if (others.length >= maxAccounts) throw new Refusal('service_account_limit')
        noteAct({ target: { id: account.id } })
        await trx.insertInto('service_accounts').values(account).execute()
      })
      return { status: 201, body: { id: account.id, key } }
    },
  })
}

function changeRoute({ sql, now }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'PATCH',
    path: onePath,
    operation: 'changeServiceAccount',
    audit: {
      action: 'service_account.change',
      target: 'serviceAccountId',
      read: rowOf('service_accounts', { tenant_id: 'tenant', id: 'target' }),
    },
    summary: 'Change a service account; live at once',
    body: z.object({
      name: checkName.optional(),
      permissions: permissionsField.optional(),
      projects: projectsField.optional(),
      expires_at: expiryField.optional(),
    }),
    answers: { 200: listedSchema },
    refusals: ['permission_missing', 'service_account_not_found'],
    async handle({ owned, params, body }) {
      const { name, permissions, projects, expires_at } = body
      checkHeld(permissions ?? [], owned.permissions)
      checkExpiry(expires_at ?? null, now())
      const account = await transact(sql, async trx => {
        const old = await getHeldAccount(trx, owned, params['serviceAccountId'] ?? '')
        await checkProjects(trx, owned.tenant.id, projects ?? null)
        const changed = {
          ...old,
          name: name ?? old.name,
          permissions: permissions === undefined ? old.permissions : JSON.stringify(permissions),
          projects: projects === undefined ? old.projects : storeProjects(projects),
          expires_at: expires_at === undefined ? old.expires_at : expires_at,
        }
        await trx.updateTable('service_accounts').set(changed).where('id', '=', old.id).execute()
        return changed
      })
      return { status: 200, body: show(account) }
    },
  })
}

function rotateRoute({ sql, now }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'POST',
    path: `${onePath}/rotate`,
    operation: 'rotateServiceAccount',
    audit: {
      action: 'service_account.rotate',
      target: 'serviceAccountId',
      read: rowOf('service_accounts', { tenant_id: 'tenant', id: 'target' }),
    },
    summary: 'Replace the key of a service account; the previous one works for as long as the overlap',
    body: z.object({ overlap_seconds: overlapField.default(0) }),
    answers: { 200: withKeySchema },
    refusals: ['permission_missing', 'service_account_not_found'],
    idempotency: 'secret',
    async handle({ owned, params, body }) {
      const key = newServiceAccountKey(randomBytes)
      const id = await transact(sql, async trx => {
        const old = await getHeldAccount(trx, owned, params['serviceAccountId'] ?? '')
        const overlaps = body.overlap_seconds > 0
        const previous = {
          previous_digest: overlaps ? old.key_digest : null,
          previous_until: overlaps ? now() + body.overlap_seconds * 1000 : null,
        }
        await trx
          .updateTable('service_accounts')
          .set({ ...previous, key_digest: tokenDigest(key), hint: keyHint(key) })
          .where('id', '=', old.id)
          .execute()
        return old.id
      })
      return { status: 200, body: { id, key } }
    },
  })
}

function deleteRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: onePath,
    operation: 'deleteServiceAccount',
    audit: {
      action: 'service_account.delete',
      target: 'serviceAccountId',
      read: rowOf('service_accounts', { tenant_id: 'tenant', id: 'target' }),
    },
    summary: 'Delete a service account; its key stops working at once',
    answers: { 204: null },
    refusals: ['permission_missing', 'service_account_not_found'],
    async handle({ owned, params }) {
      await transact(sql, async trx => {
        const { id } = await getHeldAccount(trx, owned, params['serviceAccountId'] ?? '')
        await trx.deleteFrom('service_accounts').where('id', '=', id).execute()
      })
      return { status: 204 }
    },
  })
}

/** Locks the tenant: concurrent changes of one account take turns. */
async function getHeldAccount(
  trx: Transaction<Schema>,
  { tenant, permissions }: Owned,
  id: string,
): Promise<AccountRow> {
  await lockTenant(trx, tenant.id)
  const account = await findAccount(trx, tenant.id, id)
  if (account === undefined) throw new Refusal('service_account_not_found')
  checkHeld(readPermissions(account.permissions), permissions)
  return account
}
