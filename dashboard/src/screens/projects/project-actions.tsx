// Suspends, reactivates and deletes a project; each says first what it breaks.
import { useNavigate } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { type OneProject, projectQuery, projectsQuery, queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

async function refresh({ id, tenant_id }: OneProject): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: projectQuery(id).queryKey }),
    queryClient.invalidateQueries({ queryKey: projectsQuery(tenant_id).queryKey }),
  ])
}

export function ProjectActions({ project, mayDelete }: { project: OneProject; mayDelete: boolean }) {
  if (project.status === 'active') return <Suspend project={project} />
  return (
    <>
      <Reactivate project={project} />
      {mayDelete ? (
        <Delete project={project} />
      ) : (
        <p className="text-soft">Only an owner of the tenant can delete the project.</p>
      )}
    </>
  )
}

function Suspend({ project }: { project: OneProject }) {
  const confirm = useConfirm()
  const path = { projectId: project.id }
  const ask = () =>
    confirm({
      title: 'Suspend the project?',
      body: (
        <>
          <p>All requests of the project’s end users are rejected at once, and its host names are removed.</p>
          <p>All its API keys are revoked for good: after a reactivation your servers need new ones.</p>
        </>
      ),
      action: 'Suspend project',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/suspend', { path })
        await refresh(project)
      },
    })
  return (
    <Section title="Suspend">
      <p className="text-soft">
        Stops the project and revokes its API keys. Its data stays. An owner can delete it then.
      </p>
      <p>
        <Button look="danger" onClick={ask}>
          Suspend project
        </Button>
      </p>
    </Section>
  )
}

function Reactivate({ project }: { project: OneProject }) {
  const toast = useToast()
  const reactivate = async (): Promise<void> => {
    await request('POST', '/auth/v1/projects/{projectId}/reactivate', { path: { projectId: project.id } })
    await refresh(project)
    toast.show('The project is active. Create new API keys: the old ones stay revoked.')
  }
  return (
    <Section title="Reactivate">
      <p className="text-soft">Serves requests again. Its old API keys stay revoked.</p>
      <p>
        <ActionButton run={reactivate}>Reactivate project</ActionButton>
      </p>
    </Section>
  )
}

function Delete({ project }: { project: OneProject }) {
  const confirm = useConfirm()
  const navigate = useNavigate()
  const ask = () =>
    confirm({
      title: 'Delete the project?',
      body: (
        <p>
          Its settings, end users, threads and usage are erased for good. Its address <code>{project.slug}</code> is
          never given again.
        </p>
      ),
      action: 'Delete project',
      typed: { label: `Type ${project.slug} to confirm`, text: project.slug },
      run: async () => {
        const path = { projectId: project.id }
        await request('DELETE', '/auth/v1/projects/{projectId}', { path, body: { confirm: project.slug } })
        await navigate({ to: '/app/tenants/$tenantId/projects', params: { tenantId: project.tenant_id } })
        queryClient.removeQueries({ queryKey: projectQuery(project.id).queryKey })
        await queryClient.invalidateQueries({ queryKey: projectsQuery(project.tenant_id).queryKey })
      },
    })
  return (
    <Section title="Delete">
      <p>
        <Button look="danger" onClick={ask}>
          Delete project
        </Button>
      </p>
    </Section>
  )
}
