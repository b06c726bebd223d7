// Who last changed the thing of a screen, and when, for those who may read the audit.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { lastChanges, liveMs } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Awaited } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { describeAction } from './action-words.ts'
import { lastChangesQuery } from './last-changes.tsx'
import type { AuditEntry } from './queries.ts'

interface Thing {
  tenantId: string
  /** The id of a project, a tier, a webhook or the tenant itself. */
  target: string
}

interface ThingOfActs extends Thing {
  /** The acts that change such a thing, where others have the same target. */
  actions: readonly string[]
  /** For an id that is unique in the project only. */
  projectId?: string
}

/** What changes the draft of a project or makes it live. */
export const draftActs: readonly string[] = [
  'draft.apply',
  'model.clear',
  'model.draft',
  'model.drop_draft',
  'model.publish',
  'model.set',
  'settings.deploy',
  'settings.discard',
  'settings.rollback',
  'settings.update',
]

/** Of so many acts; exports and tests among them change nothing. */
const newestActs = 20

const lastChangeQuery = ({ tenantId, target }: Thing) =>
  queryOptions({
    queryKey: ['tenant', tenantId, lastChanges, target],
    queryFn: async (): Promise<AuditEntry | null> => {
      const query = { target, outcome: 'done', limit: newestActs } as const
      const { data } = await request('GET', '/auth/v1/tenants/{tenantId}/audit', { path: { tenantId }, query })
      return data.find(({ before, after }) => before !== null || after !== null) ?? null
    },
    refetchInterval: liveMs,
  })

export function LastChange(thing: Thing | ThingOfActs) {
  return 'actions' in thing ? <LastOfActs {...thing} /> : <LastOfAll {...thing} />
}

function LastOfAll({ tenantId, target }: Thing) {
  const mayRead = useMay(tenantId)('audit:read')
  const last = useQuery({ ...lastChangeQuery({ tenantId, target }), enabled: mayRead })
  const entry = last.data
  return entry == null ? <Awaited queries={[last]} /> : <Shown tenantId={tenantId} target={target} entry={entry} />
}

function LastOfActs({ tenantId, target, actions, projectId }: ThingOfActs) {
  const mayRead = useMay(tenantId)('audit:read')
  const wanted = { tenantId, actions, targets: [target], project_id: projectId ?? null }
  const changes = useQuery({ ...lastChangesQuery(wanted), enabled: mayRead })
  const entry = changes.data?.get(target)
  return entry === undefined ? (
    <Awaited queries={[changes]} />
  ) : (
    <Shown tenantId={tenantId} target={target} entry={entry} />
  )
}

function Shown({ tenantId, target, entry: { actor, at, action } }: Thing & { entry: AuditEntry }) {
  return (
    <p className="text-sm text-soft">
      Last change: <bdi className="break-words">{actor.name ?? actor.id ?? 'Unknown'}</bdi>, <Time iso={at} />,{' '}
      {describeAction(action)}.{' '}
      <Link to="/app/tenants/$tenantId/audit" params={{ tenantId }} search={{ target }}>
        All changes
      </Link>
    </p>
  )
}
