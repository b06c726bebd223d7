// The result of a token's inspection: accepted or why not, what the token says beside what is expected, and all of it.
import type { ManagementRoutes } from '@sallyport/sdk'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { IdentityProvider } from './provider.ts'

type Inspection = ManagementRoutes['POST /auth/v1/projects/{projectId}/inspect-token']['output']

const sources = {
  service: 'Its key is the one of minted tokens.',
  external: 'Its key is one of the identity provider.',
  unknown: 'Its key is neither the one of minted tokens nor one of the identity provider.',
}

interface InspectionResultProps {
  inspection: Inspection
  provider: IdentityProvider | null
}

export function InspectionResult({ inspection, provider }: InspectionResultProps) {
  const { valid, reason, header, claims, source } = inspection
  const compared = source === 'service' ? null : provider
  return (
    <>
      <p>
        {valid ? <Badge tone="good">Accepted</Badge> : <Badge tone="warn">Rejected</Badge>}{' '}
        {valid ? 'The project accepts the token.' : `${reason}.`}
      </p>
      {valid && reason !== null && (
        <p>
          <Badge tone="warn">Unknown tier</Badge> {reason}.
        </p>
      )}
      {header !== null && <p>{sources[source ?? 'unknown']}</p>}
      {claims !== null && (
        <Table
          caption="What the token says"
          columns={compared === null ? columns : [...columns, expectedColumn]}
          rows={listFacts(header ?? {}, claims, compared)}
          keyOf={({ name }) => name}
          empty={null}
        />
      )}
      {header !== null && (
        <details>
          <summary>Header and claims</summary>
          <div className="mt-2">
            <Copyable label="header and claims" text={JSON.stringify({ header, claims }, null, 2)} />
          </div>
        </details>
      )}
    </>
  )
}

interface Fact {
  name: string
  said: unknown
  /** Null if nothing certain is expected. */
  expected: string | null
  isTime?: true
}

function listFacts(
  header: Record<string, unknown>,
  claims: Record<string, unknown>,
  provider: IdentityProvider | null,
): Fact[] {
  const userClaim = provider?.user_id_claim ?? 'uid'
  return [
    { name: 'Issuer (iss)', said: claims['iss'], expected: provider?.issuer ?? null },
    { name: 'Audience (aud)', said: claims['aud'], expected: provider?.audience ?? null },
    { name: `User (${userClaim})`, said: claims[userClaim], expected: null },
    { name: 'Expires (exp)', said: claims['exp'], expected: null, isTime: true },
    { name: 'Issued (iat)', said: claims['iat'], expected: null, isTime: true },
    { name: 'Algorithm (alg)', said: header['alg'], expected: null },
    { name: 'Key (kid)', said: header['kid'], expected: null },
  ]
}

const columns: Column<Fact>[] = [
  { title: 'Part', cell: ({ name }) => name },
  { title: 'The token says', cell: ({ said, isTime }) => <Said value={said} isTime={isTime === true} /> },
]

const expectedColumn: Column<Fact> = {
  title: 'Expected',
  cell: ({ expected }) => (expected === null ? '' : <bdi>{expected}</bdi>),
}

/** The latest time that `Date` knows, in seconds. */
const maxSeconds = 8.64e12

function Said({ value, isTime }: { value: unknown; isTime: boolean }) {
  if (value === undefined) return <span className="text-soft">missing</span>
  if (isTime && typeof value === 'number' && Math.abs(value) <= maxSeconds) {
    return <Time iso={new Date(value * 1000).toISOString()} />
  }
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
}
