// The tiers of a project: what each overrides, their order, and the settings that result for its end users.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { installationQuery, projectQuery } from '../../api/queries.ts'
import { useMayEdit } from '../../api/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Awaited, Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { valuesOf } from '../settings/fields.ts'
import { draftChangesQuery, liveSettingsQuery } from '../settings/queries.ts'
import { Overrides } from './overrides.tsx'
import { type Tier, tiersQuery } from './queries.ts'
import { ResolvedSettings } from './resolved-settings.tsx'
import { TierActions } from './tier-actions.tsx'

export function TiersScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/tiers' })
  const project = useQuery(projectQuery(projectId))
  const tiers = useQuery(tiersQuery(projectId))
  const draft = useQuery(liveSettingsQuery(projectId))
  const installation = useQuery(installationQuery)
  const mayWrite = useMayEdit(project.data)('settings:write')
  return (
    <Page
      title="Tiers"
      lead={
        <>
          A tier gives some end users other limits, another model or prompt. Your server names it when it mints their
          token. <a href="/docs/concepts#tiers">About tiers</a>
        </>
      }
      awaited={[project, tiers, installation]}
      actions={
        mayWrite &&
        tiers.data !== undefined &&
        installation.data !== undefined && (
          <NewTier projectId={projectId} count={tiers.data.length} maxTiers={installation.data.max_tiers} />
        )
      }
    >
      <Loaded query={tiers} what="the tiers">
        {rows => (
          <>
            <NotLive projectId={projectId} />
            <Table
              caption="Tiers"
              columns={columnsOf(projectId, rows, mayWrite)}
              rows={rows}
              keyOf={({ id }) => id}
              empty={<Empty title="No tiers">All end users get the settings of the project.</Empty>}
            />
            {rows.length > 0 && (
              <Section title="Resolved settings">
                <p className="text-soft">
                  What the end users of each tier get once the draft is deployed: its overrides, else the project’s
                  value.
                </p>
                <Loaded query={draft} what="the settings">
                  {settings => <ResolvedSettings project={valuesOf(settings)} tiers={rows} />}
                </Loaded>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NewTier({ projectId, count, maxTiers }: { projectId: string; count: number; maxTiers: number }) {
  if (count >= maxTiers) return <p className="text-soft">A project has at most {maxTiers} tiers.</p>
  return (
    <Link to="/app/projects/$projectId/tiers/new" params={{ projectId }} className={buttonClass('primary')}>
      New tier
    </Link>
  )
}

/** Tiers are deployed together with the settings. */
function NotLive({ projectId }: { projectId: string }) {
  const changes = useQuery(draftChangesQuery(projectId))
  if (changes.data === undefined) return <Awaited queries={[changes]} />
  const count = changes.data.filter(({ field }) => field.startsWith('tiers.')).length
  return (
    <p role="status" className={count === 0 ? 'text-soft' : 'text-warn'}>
      {count === 0 ? (
        'All tiers are live as they stand here.'
      ) : (
        <>
          {count === 1 ? 'The change of 1 tier is' : `The changes of ${count} tiers are`} not live yet.{' '}
          <Link to="/app/projects/$projectId/settings" params={{ projectId }}>
            Compare and deploy
          </Link>
        </>
      )}
    </p>
  )
}

function columnsOf(projectId: string, tiers: readonly Tier[], mayWrite: boolean): Column<Tier>[] {
  const shown: Column<Tier>[] = [
    { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { title: 'Overrides', cell: tier => <Overrides tier={tier} /> },
  ]
  if (!mayWrite) return shown
  const actions = { cell: (tier: Tier) => <TierActions projectId={projectId} tier={tier} tiers={tiers} /> }
  return [...shown, { title: 'Actions', ...actions }]
}
