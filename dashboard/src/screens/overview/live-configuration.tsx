// What is live in a project, beside what waits in the draft.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { modeWords } from '../guardrails/names.ts'
import { describeValue } from '../settings/field-values.ts'
import type { SettingsValues } from '../settings/fields.ts'
import { liveValues } from '../settings/live-values.ts'
import { draftChangesQuery, liveSettingsQuery } from '../settings/queries.ts'
import { tiersQuery } from '../tiers/queries.ts'

export function LiveConfiguration({ projectId }: { projectId: string }) {
  const draft = useQuery(liveSettingsQuery(projectId))
  const changes = useQuery(draftChangesQuery(projectId))
  const tiers = useQuery(tiersQuery(projectId))
  return (
    <Card
      title="Live configuration"
      aside={
        <Link to="/app/projects/$projectId/deployments" params={{ projectId }}>
          {draft.data?.deployed_at ? (
            <>
              Deployed <Time iso={draft.data.deployed_at} />
            </>
          ) : (
            'Never deployed'
          )}
        </Link>
      }
    >
      <Loaded query={draft} what="the settings">
        {data => (
          <Loaded query={changes} what="what is live">
            {rows => <LiveFacts live={liveValues(data, rows)} tiers={tiers.data?.map(({ name }) => name)} />}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

function LiveFacts({ live, tiers }: { live: SettingsValues; tiers: readonly string[] | undefined }) {
  const words = (field: keyof SettingsValues): string => describeValue(field, live[field]).join(', ')
  const perUser = live.user_rpm_limit === null ? 'no limit per user' : `${formatCount(live.user_rpm_limit)} per user`
  return (
    <Facts
      facts={[
        { title: 'Model', value: <bdi>{words('provider_model')}</bdi> },
        { title: 'Routes', value: <bdi>{words('routes')}</bdi> },
        { title: 'PII Shield', value: <Mode mode={live.pii_mode} /> },
        { title: 'Sentinel', value: <Mode mode={live.sentinel_mode} /> },
        { title: 'Requests per minute', value: `${formatCount(live.rpm_limit)}, ${perUser}` },
        { title: 'Tiers', value: <bdi>{tiers === undefined || tiers.length === 0 ? 'None' : tiers.join(', ')}</bdi> },
        { title: 'Cache', value: words('cache') },
      ]}
    />
  )
}

function Mode({ mode }: { mode: keyof typeof modeWords }): ReactNode {
  return <Badge tone={mode === 'enforce' ? 'good' : mode === 'shadow' ? 'warn' : 'neutral'}>{modeWords[mode]}</Badge>
}
