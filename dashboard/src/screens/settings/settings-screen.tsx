// The settings of a project: what of the draft is not live, and a form for each area of the draft.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SettingsDraft } from '../../api/draft.ts'
import { modelsQuery, type OneProject, projectQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { useHashTarget } from '../../ui/keep-focus.ts'
import { Page } from '../../ui/page.tsx'
import { Failure, Loaded, RoleHint } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { draftActs, LastChange } from '../audit/last-change.tsx'
import { AreaForm } from './area-form.tsx'
import { AttestationSecrets } from './attestation-secrets.tsx'
import { DefaultModel } from './default-model.tsx'
import { describeValue } from './field-values.ts'
import { type Area, areas, fields, valuesOf } from './fields.ts'
import { draftChangesQuery, liveSettingsQuery, type SettingChange, warningsQuery } from './queries.ts'
import { Warnings } from './warnings.tsx'

export function SettingsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/settings' })
  const project = useQuery(projectQuery(projectId))
  const draft = useQuery(liveSettingsQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Settings">
      {data => (
        <Page
          title="Settings"
          lead={
            <>
              Edit a draft, compare it with what is live, then deploy it. <a href="/docs/settings">All settings</a>
            </>
          }
        >
          <Loaded query={draft} what="the settings">
            {settings => <Settings key={projectId} project={data} draft={settings} />}
          </Loaded>
          <LastChange tenantId={data.tenant_id} target={projectId} actions={draftActs} />
        </Page>
      )}
    </Loaded>
  )
}

function Settings({ project, draft }: { project: OneProject; draft: SettingsDraft }) {
  useHashTarget()
  const may = useMay(project.tenant_id)
  const mayWrite = useMayEdit(project)('settings:write')
  const [edited, setEdited] = useState<readonly string[]>([])
  const models = useQuery(modelsQuery(project.tenant_id))
  const { data: changes } = useQuery(draftChangesQuery(project.id))
  const { data: warnings } = useQuery(warningsQuery(project.id))
  const follow = (title: string, isEdited: boolean): void =>
    setEdited(titles => [...titles.filter(one => one !== title), ...(isEdited ? [title] : [])])
  return (
    <>
      <UnsavedEdits areThere={edited.length > 0} names={edited} />
      <DraftSummary draft={draft} count={changes?.length} />
      <Warnings
        tenantId={project.tenant_id}
        warnings={warnings?.draft ?? []}
        areLive={warnings?.deployed.length !== 0}
      />
      <AreaLinks changes={changes ?? []} />
      {!may('settings:write') && <RoleHint to="change the settings" />}
      {models.isError && <Failure error={models.error} retry={() => void models.refetch()} />}
      {areas.map(area => (
        <section
          key={area.id}
          id={area.id}
          className="grid gap-x-10 gap-y-4 border-t border-line pt-6 lg:grid-cols-[14rem_minmax(0,1fr)]"
        >
          <div className="flex flex-col gap-1">
            <h2 className="text-base font-semibold">{area.title}</h2>
            <p className="text-soft">{area.lead}</p>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            {mayWrite ? (
              <AreaForm
                area={area}
                draft={draft}
                changes={changes ?? []}
                models={models.data?.models.map(({ modelId }) => modelId) ?? []}
                onEdited={isEdited => follow(area.title, isEdited)}
              />
            ) : (
              <AreaValues area={area} draft={draft} />
            )}
            {mayWrite && area.fields.includes('provider_model') && <DefaultModel draft={draft} />}
            {area.fields.includes('anonymous') && (
              <AttestationSecrets projectId={project.id} mayWrite={may('keys:write')} />
            )}
          </div>
        </section>
      ))}
    </>
  )
}

/** Whether the draft differs from what is live, and since when that is live. */
interface DraftSummaryProps {
  draft: SettingsDraft
  /** How many changes a deploy would make; undefined until that is known. */
  count: number | undefined
}

function DraftSummary({ draft, count }: DraftSummaryProps) {
  return (
    <p role="status" className="text-sm text-soft">
      {count === 0 && 'The draft is the same as what is live. '}
      {draft.deployed_at === null ? (
        'Nothing has been deployed yet: the default settings are live. '
      ) : (
        <>
          Last deployed <Time iso={draft.deployed_at} />.{' '}
        </>
      )}
      <Link to="/app/projects/$projectId/deployments" params={{ projectId: draft.project_id }}>
        All deployments
      </Link>
    </p>
  )
}

function AreaLinks({ changes }: { changes: readonly SettingChange[] }) {
  return (
    <nav aria-label="Areas of the settings">
      <ul className="flex flex-wrap gap-x-6 gap-y-2">
        {areas.map(({ id, title, fields: names }) => {
          const count = changes.filter(({ field }) => names.some(name => name === field)).length
          return (
            <li key={id} className="flex items-center gap-2">
              <a href={`#${id}`}>{title}</a>
              {count > 0 && <Badge tone="warn">{count} changed</Badge>}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function AreaValues({ area, draft }: { area: Area; draft: SettingsDraft }) {
  const values = valuesOf(draft)
  return (
    <dl className="flex max-w-xl flex-col gap-3">
      {area.fields.map(field => (
        <div key={field}>
          <dt className="text-sm text-soft">{fields[field].label}</dt>
          <dd dir="auto" className="whitespace-pre-wrap">
            {describeValue(field, values[field]).join('\n')}
          </dd>
        </div>
      ))}
    </dl>
  )
}
