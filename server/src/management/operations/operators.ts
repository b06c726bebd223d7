// Operators as people: accounts whose sessions may use the operator's routes. No owner of a tenant can reset such an
// account, even if the tenant's invitation made it.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkEmail, pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { isAfterOperator } from './list-newest.ts'

const path = '/v1/admin/operators'
const common = { credential: 'admin-secret', owner: 'none', notForCredentials: true } as const
const operatorSchema = z.object({ id: z.string(), email: z.string(), created_at: z.string(), created_by: z.string() })

const readOperator = rowOf('operators', { user_id: 'target' })

export function operatorRoutes({ sql, now }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'addOperator',
      audit: { action: 'operator.add', read: readOperator },
      summary: 'Let the sessions of an account use the operator’s routes',
      body: z.object({ email: checkEmail }),
      answers: { 200: operatorSchema },
      refusals: ['account_not_found'],
      async handle({ caller, body }) {
        const created = { created_at: now(), created_by: caller.email }
        const operator = await transact(sql, trx => add(trx, body.email, created))
        return { status: 200, body: { ...operator, created_at: isoTime(operator.created_at) } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listOperators',
      summary: 'List the accounts whose sessions may use the operator’s routes',
      query: pageQuery,
      answers: { 200: z.object({ data: z.array(operatorSchema), next_cursor: z.string().nullable() }) },
      async handle({ query }) {
        const page = getPage(query, { list: ['operators'], key: ['number', 'string'] })
        const all = selectOperators(sql).orderBy('operators.created_at').orderBy('operators.user_id')
        const found = await (page.after === null ? all : all.where(isAfterOperator(page.after)))
          .limit(page.limit + 1)
          .execute()
        const rows = found.slice(0, page.limit)
        const last = found.length > page.limit ? rows.at(-1) : undefined
        const next_cursor = last === undefined ? null : page.cursorAfter([last.created_at, last.id])
        const data = rows.map(row => ({ ...row, created_at: isoTime(row.created_at) }))
        return { status: 200, body: { data, next_cursor } }
      },
    }),
    removeRoute(sql),
  ]
}

function removeRoute(sql: ManagementDependencies['sql']): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:userId`,
    operation: 'removeOperator',
    audit: { action: 'operator.remove', target: 'userId', read: readOperator },
    summary: 'Let an account use the operator’s routes no more; the account stays',
    answers: { 204: null },
    refusals: ['not_found'],
    async handle({ params }) {
      const removed = await transact(sql, trx =>
        trx
          .deleteFrom('operators')
          .where('user_id', '=', params['userId'] ?? '')
          .returning('user_id')
          .executeTakeFirst(),
      )
      if (removed === undefined) throw new Refusal('not_found')
      return { status: 204 }
    },
  })
}

/** An account that is an operator already stays as it was added. */
async function add(trx: Transaction<Schema>, email: string, created: { created_at: number; created_by: string }) {
  // Only the operator may reset the account from now on: a tenant's owner could else become an operator by a link.
  const user = await trx
    .updateTable('users')
    .set({ home_tenant_id: null })
    .where('email', '=', email)
    .returning('id')
    .executeTakeFirst()
  if (user === undefined) throw new Refusal('account_not_found')
  noteAct({ target: { id: user.id, name: email } })
  await trx.deleteFrom('password_resets').where('user_id', '=', user.id).where('tenant_id', 'is not', null).execute()
  await trx
    .insertInto('operators')
    .values({ user_id: user.id, ...created })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return await selectOperators(trx).where('users.id', '=', user.id).executeTakeFirstOrThrow()
}

function selectOperators(sql: Pick<Transaction<Schema>, 'selectFrom'>) {
  return sql
    .selectFrom('operators')
    .innerJoin('users', 'users.id', 'operators.user_id')
    .select(['users.id', 'users.email', 'operators.created_at', 'operators.created_by'])
}
