// The customers that a meter's subjects stand for: a subject without one is sent as it is.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { countCustomers, listCustomers, putCustomers } from '../../storage/meters/subjects.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { pageQuery } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { getMeter, meterPath } from './find-meter.ts'
import { customersBody } from './meter-fields.ts'

const common = { credential: 'session', owner: 'tenant', path: `${meterPath}/subjects` } as const

/** As the error says. */
const maxCustomers = 100_000

export function meterSubjectRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      operation: 'listMeterSubjects',
      permission: 'billing:read',
      summary: 'List the customers of the subjects of a meter, by subject',
      query: pageQuery,
      answers: {
        200: z.object({
          data: z.array(z.object({ subject: z.string(), customer: z.string() })),
          next_cursor: z.string().nullable(),
        }),
      },
      refusals: ['meter_not_found'],
      async handle({ owned, query }) {
        const tenantId = owned.tenant.id
        const { id: meterId } = await getMeter(sql, tenantId)
        const { limit, after, cursorAfter } = getPage(query, { list: ['meter-subjects', meterId], key: ['string'] })
        const rows = await listCustomers(sql, { tenantId, meterId }, { after: after?.[0] ?? null, limit: limit + 1 })
        const data = rows.slice(0, limit)
        const last = data.at(-1)
        const nextCursor = rows.length > limit && last !== undefined ? cursorAfter([last.subject]) : null
        return { status: 200, body: { data, next_cursor: nextCursor } }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      operation: 'putMeterSubjects',
      audit: { action: 'meter_subjects.put', target: 'tenantId' },
      permission: 'billing:write',
      summary: 'Set or remove the customers of subjects, at most 1,000 at a time; the others stay',
      body: customersBody,
      answers: { 204: null },
      refusals: ['meter_not_found', 'meter_subject_limit'],
      async handle({ owned, body }) {
        const tenantId = owned.tenant.id
        const removed = [...body.values()].filter(customer => customer === null).length
        noteAct({ after: { set: body.size - removed, removed } })
        await transact(sql, async trx => {
          await lockTenant(trx, tenantId)
          const { id: meterId } = await getMeter(trx, tenantId)
          await putCustomers(trx, { tenantId, meterId }, body)
          const count = await countCustomers(trx, { tenantId, meterId }, maxCustomers + 1)
          if (count > maxCustomers) throw new Refusal('meter_subject_limit')
        })
        return { status: 204 }
      },
    }),
  ]
}
