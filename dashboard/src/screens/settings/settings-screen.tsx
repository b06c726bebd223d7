// The settings of a project: the form of the draft, area by area, and what is in force without a deploy.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { SettingsDraft } from '../../api/draft.ts'
import { modelsQuery, type OneProject, projectQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { useHashTarget } from '../../ui/keep-focus.ts'
import { Awaited, Page } from '../../ui/page.tsx'
import { Failure, Loaded, RoleHint } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { draftActs, LastChange } from '../audit/last-change.tsx'
import { AttestationSecrets } from './attestation-secrets.tsx'
import { describeValue } from './field-values.ts'
import { type Area, areas, fields, valuesOf } from './fields.ts'
import { SettingsForm } from './form/settings-form.tsx'
import { draftChangesQuery, liveSettingsQuery, type SettingChange, warningsQuery } from './queries.ts'
import { SettingsSection } from './settings-section.tsx'
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
  const models = useQuery(modelsQuery(project.tenant_id))
  const changed = useQuery(draftChangesQuery(project.id))
  const warned = useQuery(warningsQuery(project.id))
  const [changes, warnings] = [changed.data, warned.data]
  return (
    <>
      <Awaited queries={[changed, warned, models]} />
      <LastDeploy draft={draft} />
      <Warnings
        tenantId={project.tenant_id}
        warnings={warnings?.draft ?? []}
        areLive={warnings?.deployed.length !== 0}
      />
      <AreaLinks changes={changes ?? []} />
      {!may('settings:write') && <RoleHint to="change the settings" />}
      {models.isError && <Failure error={models.error} retry={() => void models.refetch()} />}
      {mayWrite ? (
        <SettingsForm draft={draft} changes={changes ?? []} models={models.data?.models ?? []} />
      ) : (
        areas.map(area => (
          <SettingsSection key={area.id} {...area}>
            <AreaValues area={area} draft={draft} />
          </SettingsSection>
        ))
      )}
      <SettingsSection {...secretsOfAttestations}>
        <AttestationSecrets projectId={project.id} mayWrite={may('keys:write')} />
      </SettingsSection>
    </>
  )
}

/** Not part of the draft, so it is outside of the form. */
const secretsOfAttestations = {
  id: 'attestation-secrets',
  title: 'Secrets of attestations',
  lead:
    'Of anonymous users: all attestations but the proof of work are checked with a secret. It is in force at once, ' +
    'without a deploy.',
}

function LastDeploy({ draft }: { draft: SettingsDraft }) {
  return (
    <p className="text-sm text-soft">
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
