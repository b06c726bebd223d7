// The alerts on a project's requests. The worker measures what they are about, and records when they begin and end.

import { z } from 'zod'
import { alertMeasures, alertsSchema, checkAlerts } from '../../domain/requests/request-alert.ts'
import { type KeptAlert, listAlerts, putAlerts } from '../../storage/request-log/alert-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ReadTarget } from '../plane/acts/audit-facts.ts'
import { checked } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const common = { credential: 'session', owner: 'project', path: '/auth/v1/projects/:projectId/alerts' } as const

const bodySchema = z.object({
  alerts: checked({ ...alertsSchema, description: 'Replaces all alerts; an empty array removes them' }, checkAlerts),
})

const units = Object.entries(alertMeasures).map(([on, unit]) => `\`${on}\`: ${unit}`)
const answers = {
  200: z.object({
    alerts: z.array(
      z.object({
        name: z.string(),
        on: z.enum(Object.keys(alertMeasures)).meta({ description: `What is measured. ${units.join('; ')}` }),
        over: z.number().meta({ description: 'The alert begins above it' }),
        window_minutes: z.int().meta({ description: 'Over how many of the last minutes' }),
        for: z.object({ model: z.string().optional(), tier: z.string().optional() }),
        began_at: z.string().nullable().meta({ format: 'date-time', description: 'Null while it has not begun' }),
      }),
    ),
  }),
}

export function requestAlertRoutes({ sql, log }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      permission: 'project:read',
      operation: 'getAlerts',
      summary: 'Get the alerts on the requests of a project, and since when they last',
      answers,
      async handle({ owned: { project } }) {
        return { status: 200, body: showAlerts(await listAlerts(sql, project.id)) }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      permission: 'settings:write',
      operation: 'putAlerts',
      audit: { action: 'alerts.put', target: 'projectId', read: readAlerts },
      summary: 'Set the alerts on the requests of a project: events tell when one begins and ends',
      body: bodySchema,
      answers,
      async handle({ owned: { project }, body: { alerts } }) {
        const kept = await putAlerts(sql, project.id, alerts)
        log.info('alerts of a project changed', { project_id: project.id, count: alerts.length })
        return { status: 200, body: showAlerts(kept) }
      },
    }),
  ]
}

/** For the audit. */
const readAlerts: ReadTarget = async (sql, { project }) => ({
  alerts: (await listAlerts(sql, project)).map(({ alert }) => ({ ...alert })),
})

function showAlerts(kept: readonly KeptAlert[]) {
  return { alerts: kept.map(({ alert, beganAt }) => ({ ...alert, began_at: isoTime(beganAt) })) }
}
