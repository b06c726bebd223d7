// One project itself: its host names, how their registration goes, and renaming, suspending, reactivating and deleting
// it.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { liveMs, type OneProject, projectQuery, queryClient } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { ProjectActions } from './project-actions.tsx'
import { ProjectStatus, ProvisioningStatus } from './project-status.tsx'

export function GeneralScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/general' })
  const project = useQuery({ ...projectQuery(projectId), refetchInterval: liveMs })
  return (
    <Loaded query={project} what="the project" pageTitle="Project">
      {data => <ProjectPage key={data.id} project={data} />}
    </Loaded>
  )
}

function ProjectPage({ project }: { project: OneProject }) {
  const may = useMay(project.tenant_id)
  const mayEdit = useMayEdit(project)
  return (
    <Page
      title="General"
      lead={
        <>
          <bdi>{project.name}</bdi>, created <Time iso={project.created_at} />
        </>
      }
      actions={<ProjectStatus status={project.status} />}
    >
      <Section title="Host names">
        <Provisioning project={project} mayWrite={may('project:write')} />
      </Section>
      {may('project:write') && (
        <>
          {mayEdit('project:write') && (
            <Section title="Rename">
              <RenameForm project={project} />
            </Section>
          )}
          <ProjectActions project={project} mayDelete={may('tenant:write')} />
        </>
      )}
      <LastChange tenantId={project.tenant_id} target={project.id} />
    </Page>
  )
}

function Provisioning({ project, mayWrite }: { project: OneProject; mayWrite: boolean }) {
  const path = { projectId: project.id }
  const provisioning = useQuery({
    queryKey: [...projectQuery(project.id).queryKey, 'provisioning'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/provisioning', { path }),
    refetchInterval: liveMs,
  })
  const isFailed = project.status === 'active' && project.dns_status === 'FAILED'
  const retry = async (): Promise<void> => {
    await request('POST', '/auth/v1/projects/{projectId}/provisioning/retry', { path })
    await queryClient.invalidateQueries({ queryKey: projectQuery(project.id).queryKey })
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <ul className="list-disc pl-5">
        <li>
          <code>{project.fqdn_dev}</code> (inside your network)
        </li>
        <li>
          <code>{project.fqdn_prod}</code> (public)
        </li>
      </ul>
      <p role="status">
        <ProvisioningStatus project={project} />
      </p>
      {isFailed && (
        <p dir="auto" className="text-danger">
          {provisioning.data?.dns_last_error ?? 'The registration failed.'}
        </p>
      )}
      {isFailed && mayWrite && <ActionButton run={retry}>Register again</ActionButton>}
    </div>
  )
}

function RenameForm({ project }: { project: OneProject }) {
  const toast = useToast()
  const submit = async ({ name = '' }: FormValues): Promise<void> => {
    const path = '/auth/v1/projects/{projectId}'
    const renamed = await request('PATCH', path, { path: { projectId: project.id }, body: { name } })
    queryClient.setQueryData(projectQuery(project.id).queryKey, renamed)
    await queryClient.invalidateQueries({ queryKey: ['tenant', project.tenant_id, 'projects'] })
    toast.show('The project is renamed.')
  }
  return (
    <Form submit={submit} submitLabel="Rename" isOfStored>
      <TextField name="name" label="Name" defaultValue={project.name} hint="The address stays." required />
    </Form>
  )
}
