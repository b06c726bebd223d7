// Runs the handler of a route as an act: the first transaction of its work records it in the audit. What is refused to
// somebody known is recorded too, in a transaction of its own.

import type { Transaction } from 'kysely'
import { differencesBetween } from '../../../domain/audit/differences.ts'
import type { AuditActor } from '../../../domain/audit/entry.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { JsonObject } from '../../../domain/json-object.ts'
import { isStorable } from '../../../domain/stored-text.ts'
import { type Act, type ActNotes, doAct } from '../../../storage/audit/act.ts'
import {
  appendEntry,
  type ChainEnd,
  findWebhooksOfChain,
  installationChain,
  lockChain,
  type NewEntry,
} from '../../../storage/audit/append-entry.ts'
import { countRefusal } from '../../../storage/audit/refusals.ts'
import type { Schema } from '../../../storage/schema.ts'
import { transact } from '../../../storage/transact.ts'
import type { ManagementDependencies } from '../../dependencies.ts'
import type { Caller, Owned } from '../caller.ts'
import { clientNetwork } from '../client-network.ts'
import { findMemberRole } from '../member-roles.ts'
import type { Answer, Route, RouteInput } from '../route.ts'
import { type ActPlace, type AuditFacts, targetTypeOf } from './audit-facts.ts'

type Dependencies = Pick<ManagementDependencies, 'sql' | 'now' | 'log' | 'metrics'>

/** The request whose act it is. */
export type Doer = Pick<
  RouteInput<unknown, unknown>,
  'caller' | 'params' | 'header' | 'clientAddress' | 'requestId'
> & {
  owned: Owned | null
}

const maxUserAgent = 512
const maxId = 512
/** Of refusals that say something of the caller. Others are mistakes in the request. */
const recordedStatuses: readonly number[] = [401, 403, 409, 429]

export function createActs({ sql, now, log, metrics }: Dependencies) {
  async function perform(facts: AuditFacts, doer: Doer, work: () => Promise<Answer>): Promise<Answer> {
    const act = createAct(facts, doer, now)
    try {
      const { result, isRecorded } = await doAct(act, async () => {
        if (facts.reads === 'always') await transact(sql, async () => undefined)
        return await work()
      })
      // The test of all routes finds this before anybody else does.
      if (!isRecorded && facts.reads !== 'sometimes')
        throw new Error(`${facts.action} was done without a transaction that records it`)
      if (isRecorded) metrics.auditEntryAdded('done')
      return result
    } catch (error) {
      if (error instanceof Refusal) await recordRefusal(facts, doer, act.notes, error)
      throw error
    }
  }

  async function recordRefusal(facts: AuditFacts, doer: Doer, notes: ActNotes, refusal: Refusal): Promise<void> {
    if (!recordedStatuses.includes(refusal.row.status)) return
    try {
      const chain = await findChain(sql, facts, doer, notes)
      const entry = { ...describe(facts, doer, { chain, notes }), outcome: 'refused' as const, reason: refusal.code }
      const { kind, id } = entry.actor
      const actor = `${kind} ${id ?? clientNetwork(doer.clientAddress)}`
      // Together: an entry that could not be written is not counted as one.
      const isAdded = await transact(sql, async trx => {
        if (!(await countRefusal(trx, { chain, actor }, now()))) return false
        await appendEntry(trx, await lockChain(trx, chain), entry, { at: now(), projectId: projectOf(doer) })
        return true
      })
      if (isAdded) metrics.auditEntryAdded('refused')
    } catch (error) {
      // The caller must get the refusal itself: nothing was done that an entry could be missing of.
      log.error('a refused act could not be recorded in the audit', { error })
    }
  }

  return {
    async perform(route: Route, input: RouteInput<unknown, unknown>, work: () => Promise<Answer>): Promise<Answer> {
      return route.audit == null ? await work() : await perform(route.audit, input, work)
    },

    /** Before the handler: the caller is known and lacks what the route needs. */
    async refuse(route: Route, doer: Doer, error: unknown): Promise<void> {
      if (route.audit != null && error instanceof Refusal) await recordRefusal(route.audit, doer, {}, error)
    },
  }
}

interface NotedAct extends Act {
  notes: ActNotes
}

function createAct(facts: AuditFacts, doer: Doer, now: () => number): NotedAct {
  const notes: ActNotes = {}
  let begun: { end: ChainEnd; before: JsonObject | undefined } | null = null
  const chainOf = () =>
    notes.tenantId ?? (facts.ofInstallation ? undefined : doer.owned?.tenant.id) ?? installationChain
  return {
    notes,
    note: more => void Object.assign(notes, more),
    async begin(trx: Transaction<Schema>) {
      // Locked first, so that nobody changes what is read here before this act has changed it. Both are sent at once.
      const [end, before] = await Promise.all([
        lockChain(trx, chainOf()),
        facts.read?.(trx, placeOf(facts, doer, notes)),
      ])
      begun = { end, before }
    },
    async end(trx: Transaction<Schema>) {
      if (begun === null) throw new Error('an act ended that had not begun')
      const projectId = projectOf(doer)
      const [after, webhooks] = await Promise.all([
        facts.read?.(trx, placeOf(facts, doer, notes)),
        findWebhooksOfChain(trx, begun.end.chain, projectId),
      ])
      const differences =
        facts.read === undefined
          ? { before: notes.before ?? null, after: notes.after ?? null }
          : differencesBetween(begun.before, after)
      const named = { ...notes, target: { id: '', ...nameIn(after ?? begun.before), ...notes.target } }
      const entry = describe(facts, doer, { chain: begun.end.chain, notes: named })
      const done = { ...entry, ...differences, outcome: 'done' as const, reason: null }
      await appendEntry(trx, begun.end, done, { at: now(), projectId, webhooks })
    },
  }
}

function placeOf({ target, targetId }: AuditFacts, { owned, params, caller }: Doer, notes: ActNotes): ActPlace {
  const tenant = owned?.tenant.id ?? notes.tenantId ?? ''
  const project = owned?.project.id ?? ''
  const given = target === undefined ? targetId : params[target]
  return { tenant, project, target: notes.target?.id ?? given ?? (project || tenant || caller.userId) }
}

/** A path that leads to no project has one without an id. */
const projectOf = ({ owned }: Doer): string | null => owned?.project.id || null

/** What people call the thing, by its row. */
function nameIn(row: JsonObject | undefined): { name?: string } {
  const name = row?.['name'] ?? row?.['display_name'] ?? row?.['email'] ?? row?.['url']
  return typeof name === 'string' ? { name: name.toWellFormed() } : {}
}

function describe(
  facts: AuditFacts,
  doer: Doer,
  { chain, notes }: { chain: string; notes: ActNotes },
): Omit<NewEntry, 'outcome' | 'reason'> {
  const { caller, owned, params, header, clientAddress, requestId } = doer
  const id = notes.target?.id || placeOf(facts, doer, { ...notes, target: undefined }).target
  const name = notes.target?.name ?? (id === owned?.project.id ? owned.project.name : null)
  const tenantId = chain === installationChain ? (notes.tenantId ?? owned?.tenant.id ?? params['tenantId']) : chain
  return {
    tenant_id: tenantId ?? null,
    actor: notes.actor ?? actorOf(caller),
    authenticated_by: notes.authenticatedBy ?? authenticationOf(caller),
    address: clientAddress,
    user_agent: header('user-agent')?.slice(0, maxUserAgent).toWellFormed() ?? null,
    action: facts.action,
    target: { type: targetTypeOf(facts), id: readId(id), name },
    before: null,
    after: null,
    request_id: requestId,
  }
}

/** A refused act may name anything in its path. */
function readId(id: string): string | null {
  return id === '' || !isStorable(id) ? null : id.slice(0, maxId).toWellFormed()
}

function actorOf({ kind, userId, email, serviceAccount, operatorId }: Caller): AuditActor {
  if (serviceAccount !== null) return { kind: 'service_account', id: serviceAccount.id, name: email }
  if (kind === 'admin') return { kind: 'operator', id: operatorId, name: email }
  return { kind: 'user', id: userId === '' ? null : userId, name: email === '' ? null : email }
}

function authenticationOf({ kind, session, serviceAccount, operatorId }: Caller): string {
  if (serviceAccount !== null) return 'service_account_key'
  if (session !== null) return session.issuer === 'external' ? 'external_session' : 'session'
  if (kind === 'admin') return operatorId === 'admin' ? 'admin_secret' : 'operator_credential'
  return 'none'
}

/** A stranger must not write into the chain of a tenant: only what its own people and programs try belongs there. */
async function findChain(
  sql: ManagementDependencies['sql'],
  facts: AuditFacts,
  { owned, caller, params }: Doer,
  notes: ActNotes,
): Promise<string> {
  if (notes.tenantId !== undefined) return notes.tenantId
  if (facts.ofInstallation) return installationChain
  if (owned !== null) return owned.tenant.id
  const tenantId = params['tenantId'] ?? (await findTenantOf(sql, params))
  if (tenantId === undefined || caller.kind === 'admin') return installationChain
  if (caller.serviceAccount !== null) return caller.serviceAccount.tenantId
  const member = await findMemberRole(sql, tenantId, caller.userId)
  return member === undefined ? installationChain : tenantId
}

async function findTenantOf(sql: ManagementDependencies['sql'], { projectId }: Record<string, string>) {
  if (projectId === undefined) return undefined
  const found = await sql.selectFrom('projects').select('tenant_id').where('id', '=', projectId).executeTakeFirst()
  return found?.tenant_id
}
