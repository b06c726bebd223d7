// An entry of the audit as SIEMs read it: an event of OCSF 1.3 (Authentication, or Entity Management) in a CloudEvent.

import type { AuditEntry } from './entry.ts'

const authentication = { class_uid: 3002, class_name: 'Authentication' }
const entityManagement = { class_uid: 3004, class_name: 'Entity Management' }
const category = { category_uid: 3, category_name: 'Identity & Access Management' }

interface Activity {
  id: number
  name: string
}

const create: Activity = { id: 1, name: 'Create' }
const read: Activity = { id: 2, name: 'Read' }
const update: Activity = { id: 3, name: 'Update' }
const remove: Activity = { id: 4, name: 'Delete' }
const other: Activity = { id: 99, name: 'Other' }

/** Of what happens to a session, by the second part of the action. */
const sessionActivities: Record<string, Activity> = {
  create: { id: 1, name: 'Logon' },
  end: { id: 2, name: 'Logoff' },
  end_others: { id: 2, name: 'Logoff' },
  reauthenticate: other,
}

/** Of everything else. docs/audit.md lists them; a test holds each action of the product against the list. */
const activities: Record<string, Activity> = {
  create,
  add: create,
  begin: create,
  invite: create,
  mint: create,
  reset_link: create,
  export: read,
  read,
  accept: update,
  apply: update,
  block: update,
  change: update,
  change_password: update,
  clear: update,
  deploy: update,
  discard: update,
  draft: update,
  drop_draft: update,
  link: update,
  plan: update,
  publish: update,
  put: update,
  reactivate: update,
  release: update,
  rename: update,
  reset_password: update,
  role: update,
  rollback: update,
  rotate: update,
  set: update,
  sign_in_rules: update,
  suspend: update,
  sync_models: update,
  unblock: update,
  update,
  delete: remove,
  erase: remove,
  remove,
  remove_second_factors: remove,
  revoke: remove,
  revoke_tokens: remove,
  withdraw: remove,
  approve: other,
  count_refusals: other,
  deny: other,
  retry_provisioning: other,
  test: other,
}

interface OcsfClass {
  kind: { class_uid: number; class_name: string }
  /** Null for an action that this version does not know. */
  activity: Activity | null
}

export function classOf(action: string): OcsfClass {
  const [thing, verb = ''] = action.split('.')
  const isSession = thing === 'session'
  const table = isSession ? sessionActivities : activities
  return { kind: isSession ? authentication : entityManagement, activity: table[verb] ?? null }
}

export function toCloudEvent(entry: AuditEntry, source: string): object {
  return {
    specversion: '1.0',
    id: entry.id,
    source,
    type: `sallyport.audit.${entry.action}`,
    subject: `${entry.target.type}/${entry.target.id ?? ''}`,
    time: entry.at,
    datacontenttype: 'application/json',
    data: toOcsf(entry),
  }
}

function toOcsf(entry: AuditEntry): object {
  const { actor, target, action, outcome, reason, before, after, hash, prev_hash } = entry
  const { kind, activity: known } = classOf(action)
  const activity = known ?? other
  const isSession = kind === authentication
  const user = { uid: actor.id ?? undefined, name: actor.name ?? undefined, type: actor.kind }
  return {
    ...category,
    ...kind,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: kind.class_uid * 100 + activity.id,
    time: Date.parse(entry.at),
    severity_id: outcome === 'done' ? 1 : 2,
    status_id: outcome === 'done' ? 1 : 2,
    status: outcome === 'done' ? 'Success' : 'Failure',
    ...(reason === null ? {} : { status_code: reason }),
    message: action,
    metadata: {
      version: '1.3.0',
      uid: entry.id,
      sequence: entry.seq,
      log_name: 'audit',
      correlation_uid: entry.request_id ?? undefined,
      product: { name: 'Sallyport', vendor_name: 'Sallyport' },
    },
    actor: { user },
    ...(isSession ? { user } : { entity: { type: target.type, uid: target.id ?? undefined, name: target.name ?? '' } }),
    ...(entry.address === null ? {} : { src_endpoint: { ip: entry.address } }),
    ...(entry.user_agent === null ? {} : { http_request: { user_agent: entry.user_agent } }),
    unmapped: {
      tenant_id: entry.tenant_id,
      project_id: entry.project_id,
      authenticated_by: entry.authenticated_by,
      before,
      after,
      prev_hash,
      hash,
    },
  }
}
