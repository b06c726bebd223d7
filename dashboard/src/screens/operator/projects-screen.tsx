// The projects of all tenants: search by what a log or a request shows, and stopping one of them.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ProjectStatus } from '../projects/project-status.tsx'
import { useOperator } from './operator-context.tsx'
import { allProjectsQuery, type ListedProject } from './queries.ts'
import { useStop } from './use-stop.tsx'

const from = '/app/operator/projects'

export function OperatorProjectsScreen() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const projects = useQuery(allProjectsQuery(useOperator(), search))
  return (
    <Page title="Projects" lead="The projects of all tenants. The newest come first.">
      <SearchedList
        label="Host, id of a project or tenant, or part of a name"
        caption="Projects"
        query={projects}
        search={search}
        show={next => void navigate({ search: next })}
        columns={columns}
        keyOf={({ id }) => id}
        empty={isSearch => <NoProjects isSearch={isSearch} />}
      />
    </Page>
  )
}

const columns: Column<ListedProject>[] = [
  {
    title: 'Name',
    cell: ({ id, name, slug }) => (
      <>
        <bdi>{name}</bdi>
        <br />
        <code className="text-sm font-normal text-soft">{slug}</code>
        <br />
        <code className="text-sm font-normal text-soft">{id}</code>
      </>
    ),
  },
  {
    title: 'Tenant',
    cell: ({ tenant_id, tenant_name }) => (
      <Link to="/app/operator" search={{ q: tenant_id }}>
        <bdi>{tenant_name}</bdi>
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status }) => <ProjectStatus status={status} /> },
  { title: 'Created', cell: project => <Time iso={project.created_at} /> },
  { title: 'Actions', cell: project => <Stop project={project} /> },
]

function Stop({ project: { id, name, slug } }: { project: ListedProject }) {
  const stop = useStop()
  return (
    <Button aria-label={`Stop ${name}`} onClick={() => stop({ scope: 'project', id }, `${name} (${slug})`)}>
      Stop…
    </Button>
  )
}

function NoProjects({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <Empty title="No project found">No name, host or id matches.</Empty>
  return <Empty title="No projects yet">Users create them in their tenants.</Empty>
}
