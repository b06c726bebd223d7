// A new tier, or one that is edited: its name and its overrides.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SettingsDraft } from '../../api/draft.ts'
import { modelsQuery, type OneProject, projectQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Failure, FileHint, Loaded, RoleHint } from '../../ui/states.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { valuesOf } from '../settings/fields.ts'
import { liveSettingsQuery } from '../settings/queries.ts'
import { type Tier, tiersQuery } from './queries.ts'
import { TierForm } from './tier-form.tsx'

export function NewTierScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/tiers/new' })
  return <OneTier projectId={projectId} tierId={null} />
}

export function TierScreen() {
  const { projectId, tierId } = useParams({ from: '/app/projects/$projectId/tiers/$tierId' })
  return <OneTier key={tierId} projectId={projectId} tierId={tierId} />
}

function OneTier({ projectId, tierId }: { projectId: string; tierId: string | null }) {
  const project = useQuery(projectQuery(projectId))
  const draft = useQuery(liveSettingsQuery(projectId))
  const tiers = useQuery(tiersQuery(projectId))
  const title = tierId === null ? 'New tier' : 'Edit tier'
  return (
    <Page
      title={title}
      lead={
        <>
          An override replaces the project’s value for the end users of the tier.{' '}
          <Link to="/app/projects/$projectId/tiers" params={{ projectId }}>
            All tiers
          </Link>
        </>
      }
    >
      <Loaded query={project} what="the project">
        {data => (
          <Loaded query={draft} what="the settings">
            {settings => (
              <Loaded query={tiers} what="the tiers">
                {rows => (
                  <Editor
                    project={data}
                    draft={settings}
                    tier={rows.find(({ id }) => id === tierId)}
                    isNew={tierId === null}
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

interface EditorProps {
  project: OneProject
  draft: SettingsDraft
  tier: Tier | undefined
  isNew: boolean
}

function Editor({ project, draft, tier, isNew }: EditorProps) {
  const may = useMay(project.tenant_id)
  const mayEdit = useMayEdit(project)
  const models = useQuery(modelsQuery(project.tenant_id))
  // What the form began with: it stays if somebody else deletes or changes the tier.
  const [first] = useState(tier)
  if (!may('settings:write')) return <RoleHint to="change the tiers" />
  if (!mayEdit('settings:write')) return <FileHint />
  if (first === undefined && !isNew) {
    return <Empty title="No such tier">It may have been deleted, or a rollback may have replaced it.</Empty>
  }
  return (
    <>
      {models.isError && <Failure error={models.error} retry={() => void models.refetch()} />}
      {first?.updated_at !== tier?.updated_at && (
        <p role="status" className="text-warn">
          Somebody else changed or deleted this tier. If you save, your overrides replace theirs.
        </p>
      )}
      <TierForm
        projectId={project.id}
        tier={first ?? null}
        project={valuesOf(draft)}
        models={models.data?.models ?? []}
      />
      {first !== undefined && <LastChange tenantId={project.tenant_id} target={first.id} />}
    </>
  )
}
