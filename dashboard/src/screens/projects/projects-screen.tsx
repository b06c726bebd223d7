// The projects of a tenant: list and create.

import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { freeProjects } from '../../api/plan-limits.ts'
import { liveMs, projectsQuery, queryClient } from '../../api/queries.ts'
import { useMay, useUser } from '../../api/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, RoleHint } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ProjectStatus, ProvisioningStatus } from './project-status.tsx'

type Project = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/projects']['output'][number]

const columns: Column<Project>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/app/projects/$projectId" params={{ projectId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  { title: 'Address', cell: ({ slug }) => <code>{`${location.origin}/p/${slug}/v1`}</code> },
  { title: 'Status', cell: ({ status }) => <ProjectStatus status={status} /> },
  { title: 'Host names', cell: project => <ProvisioningStatus project={project} /> },
  { title: 'Created', cell: ({ created_at }) => <Time iso={created_at} /> },
]

const isBeingRegistered = ({ status, dns_status }: Project) => status === 'active' && dns_status === 'PENDING'

export function ProjectsScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/projects' })
  const projects = useQuery({
    ...projectsQuery(tenantId),
    refetchInterval: ({ state }) => (state.data?.some(isBeingRegistered) ? liveMs : false),
  })
  const mayWrite = useMay(tenantId)('project:write')
  const [isOpen, setOpen] = useState(false)
  return (
    <Page
      title="Projects"
      lead="Each project is one application: with its own address, settings, keys and end users."
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setOpen(true)}>
            New project
          </Button>
        )
      }
    >
      <PlanLimit tenantId={tenantId} projects={projects.data} />
      <Loaded query={projects} what="projects">
        {rows => (
          <Table
            caption="Projects"
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={<NoProjects mayWrite={mayWrite} />}
          />
        )}
      </Loaded>
      {isOpen && <NewProjectDialog tenantId={tenantId} close={() => setOpen(false)} />}
    </Page>
  )
}

/** Said before the API refuses a fourth project. */
function PlanLimit({ tenantId, projects }: { tenantId: string; projects: Project[] | undefined }) {
  const plan = useUser().tenants.find(({ id }) => id === tenantId)?.plan
  if (plan !== 'free' || projects === undefined) return null
  const active = projects.filter(({ status }) => status === 'active').length
  return (
    <p className="text-soft">
      {`Free plan: ${active} of ${freeProjects} active projects. `}
      <a href="/upgrade">What the pro plan adds</a>
    </p>
  )
}

function NoProjects({ mayWrite }: { mayWrite: boolean }) {
  if (!mayWrite) {
    return (
      <Empty title="No projects yet">
        <RoleHint to="create one" />
      </Empty>
    )
  }
  return (
    <Empty title="No projects yet">
      <p>The first steps lead from a new project to its first answer, and to the code for your application.</p>
      <Link to="/app/start" className={buttonClass('primary')}>
        Take the first steps
      </Link>
    </Empty>
  )
}

function NewProjectDialog({ tenantId, close }: { tenantId: string; close: () => void }) {
  const navigate = useNavigate()
  const submit = async ({ name = '' }: FormValues): Promise<void> => {
    const path = '/auth/v1/tenants/{tenantId}/projects'
    const project = await request('POST', path, { path: { tenantId }, body: { name } })
    await queryClient.invalidateQueries({ queryKey: projectsQuery(tenantId).queryKey })
    close()
    await navigate({ to: '/app/projects/$projectId', params: { projectId: project.id } })
  }
  return (
    <Dialog title="New project" onClose={close}>
      <Form submit={submit} submitLabel="Create project" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField name="name" label="Name" hint="You can change it later. The address stays." required autoFocus />
      </Form>
    </Dialog>
  )
}
