// The guardrails of a project: the draft of their settings, and a box to try a text under it.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { liveMs, type OneProject, projectQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { draftActs, LastChange } from '../audit/last-change.tsx'
import { Blocklist } from './blocklist.tsx'
import { OwnTypes } from './own-types.tsx'
import { PiiForm } from './pii-form.tsx'
import { SentinelForm } from './sentinel-form.tsx'
import { TryBox } from './try-box.tsx'

export function GuardrailsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/guardrails' })
  const project = useQuery(projectQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Guardrails">
      {data => <GuardrailsPage key={data.id} project={data} />}
    </Loaded>
  )
}

function GuardrailsPage({ project }: { project: OneProject }) {
  const projectId = project.id
  const draft = useQuery({ ...settingsQuery(projectId), refetchInterval: liveMs })
  const mayTry = useMay(project.tenant_id)('settings:write')
  const mayWrite = useMayEdit(project)('settings:write')
  return (
    <Page
      title="Guardrails"
      lead={
        <>
          What happens to personal data and to attacks in requests and answers.{' '}
          <a href="/docs/guardrails">How the guardrails work</a>
          {mayTry && (
            <a href="#try" className="ml-2 lg:hidden">
              Try a text
            </a>
          )}
        </>
      }
    >
      {!mayTry && <RoleHint to="change the draft or try a text" />}
      <Loaded query={draft} what="the draft">
        {data => (
          <div className="grid gap-8 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-8">
              <PiiForm projectId={projectId} draft={data} mayWrite={mayWrite} />
              <OwnTypes projectId={projectId} draft={data} mayWrite={mayWrite} />
              <SentinelForm projectId={projectId} draft={data} mayWrite={mayWrite} />
              <Blocklist
                projectId={projectId}
                list="sentinel_blocklist"
                terms={data.sentinel_blocklist}
                mayWrite={mayWrite}
              />
              <Blocklist
                projectId={projectId}
                list="answer_blocklist"
                terms={data.answer_blocklist}
                mayWrite={mayWrite}
              />
            </div>
            <div id="try" className="min-w-0 scroll-mt-28 lg:sticky lg:top-28 lg:self-start">
              <TryBox projectId={projectId} draft={data} mayTry={mayTry} />
            </div>
          </div>
        )}
      </Loaded>
      <LastChange tenantId={project.tenant_id} target={projectId} actions={draftActs} />
    </Page>
  )
}
