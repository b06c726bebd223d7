// An entry of the audit as SIEMs read it: an event of OCSF 1.3 (Authentication, or Entity Management) in a CloudEvent.

import type { AuditEntry } from './entry.ts'

const authentication = { class_uid: 3002, class_name: 'Authentication' }
const entityManagement = { class_uid: 3004, class_name: 'Entity Management' }
const category = { category_uid: 3, category_name: 'Identity & Access Management' }

interface Activity {
  id: number
  name: string
}

const other: Activity = { id: 99, name: 'Other' }
/** By the second part of an action. */
const activities: Record<string, Activity> = {
  create: { id: 1, name: 'Create' },
  add: { id: 1, name: 'Create' },
  invite: { id: 1, name: 'Create' },
  export: { id: 2, name: 'Read' },
  delete: { id: 4, name: 'Delete' },
  remove: { id: 4, name: 'Delete' },
  withdraw: { id: 4, name: 'Delete' },
  erase: { id: 4, name: 'Delete' },
  put: { id: 3, name: 'Update' },
  update: { id: 3, name: 'Update' },
  change: { id: 3, name: 'Update' },
  rename: { id: 3, name: 'Update' },
  rotate: { id: 3, name: 'Update' },
  set: { id: 3, name: 'Update' },
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
  const isSession = action === 'session.create' || action === 'session.end'
  const activity = isSession ? sessionActivity(action) : (activities[action.split('.')[1] ?? ''] ?? other)
  const kind = isSession ? authentication : entityManagement
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

function sessionActivity(action: string): Activity {
  return action === 'session.create' ? { id: 1, name: 'Logon' } : { id: 2, name: 'Logoff' }
}
