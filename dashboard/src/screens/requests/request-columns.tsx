// The columns of the table of requests. A row has no text of its request.
import { Link } from '@tanstack/react-router'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCount, formatMs, formatUsd } from '../../ui/numbers.ts'
import type { Column } from '../../ui/table.tsx'
import { ShortTime } from '../../ui/time.tsx'
import type { LoggedRequest } from './filter.ts'

export const requestColumns = (projectId: string): Column<LoggedRequest>[] => [
  {
    title: 'Time',
    cell: ({ id, at }) => (
      <Link to="/app/projects/$projectId/requests/$requestId" params={{ projectId, requestId: id }}>
        <ShortTime iso={at} />
      </Link>
    ),
  },
  { title: 'Status', isNarrow: true, cell: row => <Outcome row={row} /> },
  { title: 'End user', cell: ({ uid }) => <bdi>{uid ?? 'Unknown'}</bdi> },
  { title: 'Endpoint', cell: ({ endpoint }) => (endpoint === null ? 'None' : nameOfEndpoint(endpoint)) },
  { title: 'Model', cell: ({ model, model_asked }) => <bdi>{model ?? model_asked ?? ''}</bdi> },
  {
    title: 'First token',
    isNarrow: true,
    cell: ({ first_token_ms: ms }) => <OneLine>{ms === null ? '–' : formatMs(ms)}</OneLine>,
  },
  { title: 'Latency', isNarrow: true, cell: ({ latency_ms }) => <OneLine>{formatMs(latency_ms)}</OneLine> },
  { title: 'Tokens', isNarrow: true, cell: ({ tokens }) => formatCount(tokens.prompt + tokens.completion) },
  { title: 'Cost', isNarrow: true, cell: ({ cost_usd }) => <OneLine>{formatUsd(cost_usd)}</OneLine> },
]

function OneLine({ children }: { children: string }) {
  return <span className="whitespace-nowrap">{children}</span>
}

export function Outcome({ row: { status, error } }: { row: LoggedRequest }) {
  if (error === null) return <Badge tone="good">{status}</Badge>
  return (
    <Badge tone={status >= 500 ? 'danger' : 'warn'}>
      {status} {error}
    </Badge>
  )
}
