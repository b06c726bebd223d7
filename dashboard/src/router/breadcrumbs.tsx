// Where the user is: tenant, project and screen. The tenant and the project can be changed here.
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { projectQuery, projectsQuery, type SignedInUser } from '../api/queries.ts'
import { classNames } from '../ui/class-names.ts'
import { Switcher } from '../ui/switcher.tsx'
import { useCurrentScreen } from './listed-screens.ts'
import type { Place } from './place.ts'

export function Breadcrumbs({ user, place }: { user: SignedInUser; place: Place }) {
  const { tenantId, projectId } = place
  return (
    <nav aria-label="Breadcrumbs" className="min-w-0">
      <ol className="flex min-w-0 items-center text-sm text-soft">
        {user.tenants.length > 0 && (
          <Crumb isHiddenOnPhone={projectId !== null}>
            <TenantSwitcher user={user} tenantId={tenantId} />
          </Crumb>
        )}
        {tenantId !== null && projectId !== null && (
          <Crumb>
            <ProjectSwitcher tenantId={tenantId} projectId={projectId} />
          </Crumb>
        )}
        <ScreenCrumb place={place} />
      </ol>
    </nav>
  )
}

function Crumb({ isHiddenOnPhone = false, children }: { isHiddenOnPhone?: boolean; children: ReactNode }) {
  return (
    <li
      className={classNames(
        'flex min-w-0 items-center not-last:after:px-0.5 not-last:after:text-control not-last:after:content-["/"] max-sm:after:hidden',
        isHiddenOnPhone && 'max-sm:hidden',
      )}
    >
      {children}
    </li>
  )
}

function ScreenCrumb({ place }: { place: Place }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const screen = useCurrentScreen(place)
  if (screen === undefined) return null
  return (
    <Crumb isHiddenOnPhone>
      <Link
        to={screen.path}
        aria-current={pathname === screen.path ? 'page' : undefined}
        className="truncate px-2 font-medium text-ink underline hover:text-accent aria-[current=page]:no-underline"
      >
        {screen.title}
      </Link>
    </Crumb>
  )
}

function TenantSwitcher({ user, tenantId }: { user: SignedInUser; tenantId: string | null }) {
  const current = user.tenants.find(({ id }) => id === tenantId)
  return (
    <Switcher label="Tenant" current={current?.name ?? 'Choose'}>
      {user.tenants.map(({ id, name }) => (
        <Link key={id} to="/app/tenants/$tenantId/projects" params={{ tenantId: id }} dir="auto">
          {name}
        </Link>
      ))}
      <Link to="/app/start">New tenant or project</Link>
    </Switcher>
  )
}

function ProjectSwitcher({ tenantId, projectId }: { tenantId: string; projectId: string }) {
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  const { data: current } = useQuery(projectQuery(projectId))
  return (
    <Switcher label="Project" current={current?.name ?? ''}>
      {projects.map(({ id, name }) => (
        <Link key={id} to="/app/projects/$projectId" params={{ projectId: id }} dir="auto">
          {name}
        </Link>
      ))}
      <Link to="/app/tenants/$tenantId/projects" params={{ tenantId }}>
        All projects
      </Link>
    </Switcher>
  )
}
