// The column of a list with who last changed each thing, and when, for those who may read the audit.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { request } from '../../api/management.ts'
import { lastChanges, liveMs } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Awaited } from '../../ui/page.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { AuditEntry } from './queries.ts'

interface ListedThings<Row> {
  tenantId: string
  /** For ids that are unique in the project only. */
  projectId?: string
  /** The acts that change such things. */
  actions: readonly string[]
  /** Those of one page. */
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** When the row itself says that it was changed last: another act, such as a rollback, may have done it since. */
  changedAt?: (row: Row) => string
  /** By whom, if the row says that too. */
  changedBy?: (row: Row) => string | null
}

interface WantedChanges {
  tenantId: string
  actions: readonly string[]
  targets: string[]
  project_id: string | null
}

export const lastChangesQuery = ({ tenantId, ...wanted }: WantedChanges) =>
  queryOptions({
    queryKey: ['tenant', tenantId, lastChanges, wanted],
    queryFn: async (): Promise<ReadonlyMap<string | null, AuditEntry>> => {
      const body = { ...wanted, actions: [...wanted.actions] }
      const path = { tenantId }
      const { data } = await request('POST', '/auth/v1/tenants/{tenantId}/audit/last-changes', { path, body })
      return new Map(data.map(entry => [entry.target.id, entry]))
    },
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  })

/** One column, or none for who may not read the audit. */
export function useLastChanges<Row>(things: ListedThings<Row>): Column<Row>[] {
  const { tenantId, projectId, actions, rows, idOf, changedAt, changedBy } = things
  const mayRead = useMay(tenantId)('audit:read')
  const wanted = { tenantId, actions, targets: rows.map(idOf), project_id: projectId ?? null }
  const query = useQuery({ ...lastChangesQuery(wanted), enabled: mayRead && rows.length > 0 })
  const { data: changes } = query
  if (!mayRead) return []
  const cell = (row: Row) => {
    // Each card of a phone grows by them: what stands below is seen once they are read.
    if (query.isLoading) return <Awaited queries={[query]} />
    const entry = changes?.get(idOf(row))
    const since = changedAt?.(row)
    if (since !== undefined && (entry === undefined || entry.at < since)) {
      const by = changedBy?.(row) ?? null
      return by === null ? <Time iso={since} /> : <Changer name={by} time={<Time iso={since} />} />
    }
    return entry === undefined ? changes && 'None' : <Change tenantId={tenantId} entry={entry} />
  }
  return [{ title: 'Last change', cell }]
}

function Change({ tenantId, entry: { actor, at, target } }: { tenantId: string; entry: AuditEntry }) {
  const allChanges = (
    <Link
      to="/app/tenants/$tenantId/audit"
      params={{ tenantId }}
      search={target.id === null ? {} : { target: target.id }}
    >
      <Time iso={at} />
      <span className="sr-only">: all changes of {target.name ?? target.id}</span>
    </Link>
  )
  return <Changer name={actor.name ?? actor.id ?? 'Unknown'} time={allChanges} />
}

function Changer({ name, time }: { name: string; time: ReactNode }) {
  return (
    <>
      <bdi className="break-words">{name}</bdi>
      <br />
      {time}
    </>
  )
}
