// All tenants of the installation: search, plans, owners, and stopping one of them.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { formatCount, formatCountOf } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useOperator } from './operator-context.tsx'
import { OwnerList } from './owner-list.tsx'
import { allTenantsQuery, type ListedTenant } from './queries.ts'
import { SetPlan } from './set-plan.tsx'

const from = '/app/operator/'

export function TenantsScreen() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const tenants = useQuery(allTenantsQuery(useOperator(), search))
  return (
    <Page title="Tenants" lead="Who uses this installation, and on which plan. The newest come first.">
      <SearchedList
        label="Id, or part of a name or of a member’s email"
        caption="Tenants"
        query={tenants}
        search={search}
        show={next => void navigate({ search: next })}
        columns={columns}
        keyOf={({ id }) => id}
        empty={isSearch => <NoTenants isSearch={isSearch} />}
      />
    </Page>
  )
}

const columns: Column<ListedTenant>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <>
        <bdi>{name}</bdi>
        <br />
        <code className="text-sm font-normal text-soft min-[1400px]:whitespace-nowrap">{id}</code>
      </>
    ),
  },
  { title: 'Plan', cell: ({ plan }) => <Badge tone={plan === 'pro' ? 'good' : 'neutral'}>{plan}</Badge> },
  {
    title: 'Active projects',
    isNumber: true,
    cell: ({ id, name, active_projects }) => (
      <Link
        to="/app/operator/projects"
        search={{ q: id }}
        aria-label={`${formatCountOf(active_projects, 'active project')} of ${name}`}
      >
        {formatCount(active_projects)}
      </Link>
    ),
  },
  { title: 'Members', isNumber: true, cell: tenant => formatCount(tenant.members) },
  { title: 'Owners', cell: tenant => <OwnerList owners={tenant.owners} /> },
  { title: 'Created', cell: tenant => <Time iso={tenant.created_at} /> },
  { title: 'Actions', cell: tenant => <SetPlan tenant={tenant} /> },
]

function NoTenants({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <Empty title="No tenant found">No name, id or email of a member matches.</Empty>
  return <Empty title="No tenants yet">A user creates one with the first project.</Empty>
}
