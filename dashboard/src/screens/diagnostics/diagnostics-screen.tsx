// The origins, tokens and hosts that the project rejected in the last 24 hours, and what to do about each.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { liveMs, projectQuery } from '../../api/queries.ts'
import { useMayEdit } from '../../api/session.ts'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AllowOrigin } from './allow-origin.tsx'

const path = '/auth/v1/projects/{projectId}/diagnostics'
type Diagnostic = ManagementRoutes[`GET ${typeof path}`]['output']['data'][number]

export function DiagnosticsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/diagnostics' })
  const project = useQuery(projectQuery(projectId))
  const mayWrite = useMayEdit(project.data)('settings:write')
  const diagnostics = useQuery({
    queryKey: ['project', projectId, 'diagnostics'],
    queryFn: () => request('GET', path, { path: { projectId } }),
    refetchInterval: liveMs,
  })
  return (
    <Page
      title="Diagnostics"
      lead={
        <>
          The origins, tokens, tiers and hosts that the project rejected in the last 24 hours. Requests that limits,
          guardrails or providers rejected are in the{' '}
          <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ error: 'any' }}>
            requests with errors
          </Link>
          . <a href="/docs/gateway#find-out-why-a-browser-or-a-token-is-rejected">What the causes mean</a>
        </>
      }
    >
      <Loaded query={diagnostics} what="the diagnostics">
        {({ data }) => (
          <Table
            caption="Rejected in the last 24 hours"
            columns={columnsFor(projectId, mayWrite)}
            rows={data}
            keyOf={({ kind, detail }) => `${kind} ${detail}`}
            empty={<NothingRejected projectId={projectId} />}
          />
        )}
      </Loaded>
    </Page>
  )
}

function NothingRejected({ projectId }: { projectId: string }) {
  return (
    <Empty title="No origin, token or host was rejected in the last 24 hours">
      <p>If a client fails all the same, look at its token.</p>
      <IdentityProviderLink projectId={projectId}>Inspect a token</IdentityProviderLink>
    </Empty>
  )
}

const causes: Record<Diagnostic['kind'], string> = {
  origin_rejected: 'Origin that is not allowed',
  token_issuer_rejected: 'Token of another issuer (iss)',
  token_audience_rejected: 'Token for another audience (aud)',
  token_key_rejected: 'Token with an unknown key (kid)',
  unknown_host: 'Request to an unknown host',
  unknown_tier: 'Token of an unknown tier',
  api_key_as_token: 'API key in place of a token',
}

function columnsFor(projectId: string, mayWrite: boolean): Column<Diagnostic>[] {
  return [
    { title: 'Cause', cell: ({ kind }) => causes[kind] },
    { title: 'Detail', cell: ({ detail }) => <Detail detail={detail} /> },
    { title: 'Requests', isNumber: true, cell: ({ count }) => formatCount(count) },
    { title: 'Last seen', cell: ({ last_seen_at }) => <Time iso={last_seen_at} /> },
    { title: 'What to do', cell: row => <Advice projectId={projectId} diagnostic={row} mayWrite={mayWrite} /> },
  ]
}

/** What the API lists after 50 different details in an hour. */
const otherDetails = 'other'

function Detail({ detail }: { detail: string }) {
  if (detail === otherDetails) return <>Others</>
  return (
    <bdi>
      <code>{detail}</code>
    </bdi>
  )
}

interface AdviceProps {
  projectId: string
  diagnostic: Diagnostic
  mayWrite: boolean
}

function Advice({ projectId, diagnostic: { kind, detail }, mayWrite }: AdviceProps) {
  switch (kind) {
    case 'origin_rejected':
      if (detail === otherDetails) return <>Too many to list.</>
      return <AllowOrigin projectId={projectId} origin={detail} mayWrite={mayWrite} />
    case 'token_issuer_rejected':
    case 'token_audience_rejected':
      return (
        <IdentityProviderLink projectId={projectId}>
          Compare with the identity provider, or inspect one
        </IdentityProviderLink>
      )
    case 'token_key_rejected':
      return <IdentityProviderLink projectId={projectId}>Check its keys, or inspect a token</IdentityProviderLink>
    case 'unknown_host':
      return <>Correct the base address of the client, or ask the operator to correct PUBLIC_DOMAIN.</>
    case 'api_key_as_token':
      return (
        <>
          Send a token that your server mints with the key. If the key was in a browser or an app,{' '}
          <Link to="/app/projects/$projectId/api-keys" params={{ projectId }}>
            rotate it
          </Link>
          .
        </>
      )
    case 'unknown_tier':
      return (
        <Link to="/app/projects/$projectId/tiers" params={{ projectId }}>
          Define and deploy the tier, or correct the name
        </Link>
      )
  }
}

function IdentityProviderLink({ projectId, children }: { projectId: string; children: string }) {
  return (
    <Link to="/app/projects/$projectId/identity-provider" params={{ projectId }}>
      {children}
    </Link>
  )
}
