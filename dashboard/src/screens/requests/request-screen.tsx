// One request: what it was, how its time was spent, what the guardrails did, and its content for those who may read it.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { formatCount, formatMs } from '../../ui/numbers.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { PreciseTime } from '../../ui/time.tsx'
import { Explanation } from '../activity/explain-request.tsx'
import { Cost } from '../prices/cost.tsx'
import { GuardrailOutcomes } from './guardrail-outcomes.tsx'
import { hasPage, OneRequestActions } from './one-request-actions.tsx'
import { requestQuery } from './queries.ts'
import { Outcome } from './request-columns.tsx'
import { RequestContent } from './request-content.tsx'
import { RequestTimeline } from './request-timeline.tsx'

const from = '/app/projects/$projectId/requests/$requestId'

export function RequestScreen() {
  const { projectId, requestId } = useParams({ from })
  const found = useQuery(requestQuery(projectId, requestId))
  return (
    <Loaded query={found} what="the request" pageTitle="Request">
      {({ timeline, content, ...row }) => (
        <Page
          title="Request"
          lead={
            <>
              Received <PreciseTime iso={row.at} />. <Outcome row={row} />
            </>
          }
          actions={<OneRequestActions projectId={projectId} row={row} />}
        >
          {row.error !== null && (
            <p role="note" className="rounded-md bg-warn-tint px-4 py-3 empty:hidden">
              <Explanation projectId={projectId} row={row} code={row.error} />
            </p>
          )}
          <Facts facts={factsOf(projectId, row)} />
          <Section title="Timeline">
            <RequestTimeline steps={timeline} />
          </Section>
          {row.guardrails.length > 0 && (
            <Section title="Guardrails">
              <GuardrailOutcomes outcomes={row.guardrails} />
            </Section>
          )}
          {content !== undefined && (
            <Section title="Content">
              <RequestContent content={content} />
            </Section>
          )}
          <Section title="As JSON">
            <Copyable label="request as JSON" text={JSON.stringify({ ...row, timeline }, null, 2)} />
          </Section>
        </Page>
      )}
    </Loaded>
  )
}

type Row = Parameters<typeof Outcome>[0]['row']

function factsOf(projectId: string, row: Row): [string, ReactNode][] {
  const { tokens } = row
  const facts: [string, ReactNode | null][] = [
    ['Request ID', <code key="id">{row.id}</code>],
    ['End user', row.uid === null ? 'Unknown' : <EndUser key="uid" projectId={projectId} uid={row.uid} />],
    ['Tier', row.tier],
    ['Endpoint', row.endpoint === null ? 'None' : nameOfEndpoint(row.endpoint)],
    ['Prompt', row.prompt === null ? null : describePrompt(row.prompt, row.prompt_version)],
    ['Model asked for', row.model_asked],
    ['Model', row.model],
    ['Attempts', row.attempts === 0 ? null : formatCount(row.attempts)],
    ['Cache', row.cache],
    ['Latency', formatMs(row.latency_ms)],
    ['First token', row.first_token_ms === null ? null : formatMs(row.first_token_ms)],
    ['Tokens', `${formatCount(tokens.prompt)} in, ${formatCount(tokens.completion)} out`],
    [
      'Cost',
      <Cost
        key="cost"
        projectId={projectId}
        model={row.model}
        tokens={tokens.prompt + tokens.completion}
        usd={row.cost_usd}
      />,
    ],
    ['Finish reason', row.finish_reason],
    ['Thread', row.thread_id],
    ['Session', row.session_id],
    ['Session of an agent', row.agent_session_id],
    ['Agent', row.agent_id],
    ['Client', row.client],
    ['Feedback', row.feedback === null ? null : `${row.feedback.score} ${row.feedback.comment ?? ''}`],
  ]
  return facts.filter(([, value]) => value !== null)
}

function describePrompt(name: string, version: number | null): ReactNode {
  return (
    <>
      <bdi>{name}</bdi> {version === null ? 'of the draft' : `of deployment ${version}`}
    </>
  )
}

function EndUser({ projectId, uid }: { projectId: string; uid: string }) {
  if (!hasPage(uid)) return <bdi>{uid}</bdi>
  return (
    <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }}>
      <bdi>{uid}</bdi>
    </Link>
  )
}

function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      {facts.map(([title, value]) => (
        <div key={title} className="flex gap-3">
          <dt className="w-40 shrink-0 text-soft">{title}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
