// Kill switches in three scopes. The database is the source of truth; each push has the full list and a rising
// revision, so that an older push can never undo a newer one.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { killSwitchRevision, raiseRevision, readKillSwitches } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'

type Scope = 'global' | 'tenant' | 'project'

const bodySchema = z.object({ enabled: z.boolean({ error: 'enabled must be a boolean' }) })
const common = { credential: 'admin-secret', owner: 'none' } as const
const act = { action: 'kill_switch.set', read: readSwitch }
type Input = RouteInput<z.output<typeof bodySchema>, unknown>

export function killSwitchRoutes(management: ManagementDependencies): Route[] {
  async function answerSwitched(scope: Scope, idName: string, { params, body }: Input) {
    const targetId = params[idName] ?? ''
    await switchTo(management, scope, targetId, body.enabled)
    const target = scope === 'global' ? {} : { [idName]: targetId }
    return { status: 200, body: { killswitch: scope, ...target, enabled: body.enabled } }
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/killswitch/global',
      operation: 'switchAll',
      audit: { ...act, targetId: 'global' },
      summary: 'Turn the global kill switch on or off; it stops all inference',
      body: bodySchema,
      answers: { 200: z.object({ killswitch: z.literal('global'), enabled: z.boolean() }) },
      handle: input => answerSwitched('global', '', input),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/killswitch/tenant/:tenantId',
      operation: 'switchTenant',
      audit: { ...act, target: 'tenantId' },
      summary: 'Turn the kill switch of a tenant on or off',
      body: bodySchema,
      answers: { 200: z.object({ killswitch: z.literal('tenant'), tenantId: z.string(), enabled: z.boolean() }) },
      refusals: ['tenant_not_found'],
      handle: input => answerSwitched('tenant', 'tenantId', input),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/killswitch/project/:projectId',
      operation: 'switchProject',
      audit: { ...act, target: 'projectId' },
      summary: 'Turn the kill switch of a project on or off',
      body: bodySchema,
      answers: { 200: z.object({ killswitch: z.literal('project'), projectId: z.string(), enabled: z.boolean() }) },
      refusals: ['project_not_found'],
      handle: input => answerSwitched('project', 'projectId', input),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/killswitch/status',
      operation: 'listKillSwitches',
      summary: 'List all kill switches that are on',
      answers: {
        200: z.object({ global: z.boolean(), tenants: z.array(z.string()), projects: z.array(z.string()) }),
      },
      async handle() {
        return { status: 200, body: await readKillSwitches(management.sql) }
      },
    }),
  ]
}

async function readSwitch(sql: ManagementDependencies['sql'], { target }: ActPlace): Promise<JsonObject> {
  const row = await sql
    .selectFrom('kill_switches')
    .select('enabled')
    .where('target_id', '=', target === 'global' ? '' : target)
    .executeTakeFirst()
  return { enabled: row?.enabled === 1 }
}

async function switchTo(
  management: ManagementDependencies,
  scope: Scope,
  targetId: string,
  enabled: boolean,
): Promise<void> {
  const { sql, kv, pushToStore, now, log } = management
  const { switches, revision } = await transact(sql, async trx => {
    await checkTarget(trx, scope, targetId)
    // Raised first, so that concurrent switches wait for each other.
    const revision = await raiseRevision(trx, killSwitchRevision)
    const row = { scope, target_id: targetId, enabled: enabled ? (1 as const) : (0 as const), updated_at: now() }
    await trx
      .insertInto('kill_switches')
      .values(row)
      .onConflict(conflict => conflict.columns(['scope', 'target_id']).doUpdateSet(row))
      .execute()
    return { switches: await readKillSwitches(trx), revision }
  })
  log.warn('kill switch set', { state: enabled ? 'on' : 'off', reason: scope })
  // Gateways that cannot reach the store read the switches from the database; all others get them only from the store.
  await pushToStore('kill switches', () => kv.putKillSwitches(switches, revision))
}

async function checkTarget(trx: Transaction<Schema>, scope: Scope, targetId: string): Promise<void> {
  if (scope === 'global') return
  const table = scope === 'tenant' ? 'tenants' : 'projects'
  const found = await trx
    .selectFrom(table)
    .select('id')
    .where('id', '=', targetId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined) throw new Refusal(scope === 'tenant' ? 'tenant_not_found' : 'project_not_found')
}
