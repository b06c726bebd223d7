// Credentials that take the place of ADMIN_SECRET: one for each program, to read or to write, with an end. They manage
// neither credentials nor operators. The secret is returned once and stored as a digest.

import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { keyHint, newOperatorSecret, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkExpiry, checkName, expiryField, pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { isAfter } from './list-newest.ts'

const path = '/v1/admin/credentials'
const common = { credential: 'admin-secret', owner: 'none', notForCredentials: true } as const

const scopeField = z.enum(['read', 'write'], { error: 'scope must be one of: read, write' })
const listedSchema = z.object({
  id: z.string(),
  name: z.string(),
  scope: scopeField,
  hint: z.string().meta({ description: 'The last four characters of the secret' }),
  expires_at: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
})

export function operatorCredentialRoutes({ sql, now, randomId }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'createOperatorCredential',
      audit: { action: 'operator_credential.create', read: rowOf('operator_credentials', { id: 'target' }) },
      summary: 'Create a credential that takes the place of ADMIN_SECRET; only this response contains its secret',
      body: z.object({ name: checkName, scope: scopeField, expires_at: expiryField.default(null) }),
      answers: { 201: z.object({ id: z.string(), secret: z.string() }) },
      idempotency: 'secret',
      async handle({ caller, body }) {
        checkExpiry(body.expires_at, now())
        const secret = newOperatorSecret(randomBytes)
        const stored = { id: randomId(), digest: tokenDigest(secret), hint: keyHint(secret) }
        const created = { created_at: now(), created_by: caller.email }
        noteAct({ target: { id: stored.id } })
        await transact(sql, trx =>
          trx
            .insertInto('operator_credentials')
            .values({ ...stored, ...body, ...created })
            .execute(),
        )
        return { status: 201, body: { id: stored.id, secret } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listOperatorCredentials',
      summary: 'List the credentials that take the place of ADMIN_SECRET, newest first, without their secrets',
      query: pageQuery,
      answers: { 200: z.object({ data: z.array(listedSchema), next_cursor: z.string().nullable() }) },
      async handle({ query }) {
        const page = getPage(query, { list: ['operator-credentials', 'newest'], key: ['number', 'string'] })
        const all = sql.selectFrom('operator_credentials').selectAll()
        const found = await (page.after === null ? all : all.where(isAfter('operator_credentials', page.after)))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(page.limit + 1)
          .execute()
        const rows = found.slice(0, page.limit)
        const last = found.length > page.limit ? rows.at(-1) : undefined
        const next_cursor = last === undefined ? null : page.cursorAfter([last.created_at, last.id])
        return { status: 200, body: { data: rows.map(show), next_cursor } }
      },
    }),
    deleteRoute(sql),
  ]
}

function deleteRoute(sql: ManagementDependencies['sql']): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:credentialId`,
    operation: 'deleteOperatorCredential',
    audit: {
      action: 'operator_credential.delete',
      target: 'credentialId',
      read: rowOf('operator_credentials', { id: 'target' }),
    },
    summary: 'Delete a credential; its secret stops working at once',
    answers: { 204: null },
    refusals: ['not_found'],
    async handle({ params }) {
      const deleted = await transact(sql, trx =>
        trx
          .deleteFrom('operator_credentials')
          .where('id', '=', params['credentialId'] ?? '')
          .returning('id')
          .executeTakeFirst(),
      )
      if (deleted === undefined) throw new Refusal('not_found')
      return { status: 204 }
    },
  })
}

function show({ digest: _, ...row }: Selectable<Schema['operator_credentials']>) {
  return { ...row, expires_at: isoTime(row.expires_at), created_at: isoTime(row.created_at) }
}
