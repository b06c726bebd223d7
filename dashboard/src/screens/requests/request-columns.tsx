// The columns of the table of requests. A row has no text of its request.
import { Link } from '@tanstack/react-router'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCount, formatMs } from '../../ui/numbers.ts'
import type { Column } from '../../ui/table.tsx'
import { ShortTime } from '../../ui/time.tsx'
import { Cost } from '../prices/cost.tsx'
import type { LoggedRequest } from './filter.ts'
import { BriefOutcomes } from './guardrail-outcomes.tsx'

const promptColumn: Column<LoggedRequest> = {
  title: 'Prompt',
  isMinor: true,
  cell: ({ prompt }) => <bdi>{prompt ?? ''}</bdi>,
}
const guardrailColumn: Column<LoggedRequest> = {
  title: 'Guardrails',
  isNarrow: true,
  cell: ({ guardrails }) => <BriefOutcomes outcomes={guardrails} />,
}

/** The columns of prompts and guardrails are there if one of the rows has any. */
export const requestColumns = (projectId: string, rows: readonly LoggedRequest[]): Column<LoggedRequest>[] => [
  {
    title: 'Time',
    cell: ({ id, at }) => (
      <Link to="/app/projects/$projectId/requests/$requestId" params={{ projectId, requestId: id }}>
        <ShortTime iso={at} />
      </Link>
    ),
  },
  { title: 'Status', isNarrow: true, needsNoTitle: true, cell: row => <Outcome row={row} /> },
  { title: 'End user', isNarrow: true, cell: ({ uid }) => <EndUser uid={uid} /> },
  {
    title: 'Endpoint',
    isMinor: true,
    isNarrow: true,
    cell: ({ endpoint }) => (
      <OneLine text={endpoint === null ? 'None' : nameOfEndpoint(endpoint).replace(' completions', '')} />
    ),
  },
  ...(rows.some(({ prompt }) => prompt !== null) ? [promptColumn] : []),
  ...(rows.some(({ guardrails }) => guardrails.length > 0) ? [guardrailColumn] : []),
  {
    title: 'Model',
    isNarrow: true,
    cell: ({ model, model_asked }) => <Model id={model ?? model_asked} />,
  },
  {
    title: 'First token',
    isMinor: true,
    isNumber: true,
    cell: ({ first_token_ms: ms }) => (ms === null ? '–' : formatMs(ms)),
  },
  { title: 'Latency', isNumber: true, cell: ({ latency_ms }) => formatMs(latency_ms) },
  { title: 'Tokens', isNumber: true, cell: ({ tokens }) => formatUsed(tokens) },
  {
    title: 'Cost',
    isNumber: true,
    cell: ({ model, tokens, cost_usd }) =>
      tokens.prompt + tokens.completion === 0 && cost_usd === 0 ? (
        '–'
      ) : (
        <Cost projectId={projectId} model={model} tokens={tokens.prompt + tokens.completion} usd={cost_usd} />
      ),
  },
]

const playground = 'svc:playground:'

/** A rejected request used none. */
const formatUsed = ({ prompt, completion }: LoggedRequest['tokens']): string =>
  prompt + completion === 0 ? '–' : formatCount(prompt + completion)

/** A long text is cut, and whole on the page of the request. */
function OneLine({ text, title = text }: { text: string; title?: string }) {
  return (
    <bdi title={title} className="block max-w-44 truncate">
      {text}
    </bdi>
  )
}

/** Without its provider, which it has under the pointer. */
function Model({ id }: { id: string | null }) {
  return id === null ? '–' : <OneLine text={id.slice(id.indexOf('/') + 1)} title={id} />
}

/** A long id is cut, and whole under the pointer and on the page of the request. */
function EndUser({ uid }: { uid: string | null }) {
  if (uid === null) return 'Unknown'
  const shown = uid.startsWith(playground) ? 'Playground' : uid
  return (
    <bdi title={uid} className="block max-w-40 truncate">
      {shown}
    </bdi>
  )
}

export function Outcome({ row: { status, error } }: { row: LoggedRequest }) {
  if (error === null) return <Badge tone="good">{status}</Badge>
  return (
    <Badge tone={status >= 500 ? 'danger' : 'warn'}>
      {status} {error}
    </Badge>
  )
}
