// The frame around all screens: the bar with tenant, project and account, the navigation, and the screen itself.
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { projectsQuery, type SignedInUser } from '../api/queries.ts'
import { signOut } from '../api/session.ts'
import { ActionButton, Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { useKeptFocus } from '../ui/keep-focus.ts'
import { Switcher } from '../ui/switcher.tsx'
import { Navigation } from './navigation.tsx'
import { usePlace } from './place.ts'

export function PageFrame({ user, children }: { user: SignedInUser; children: ReactNode }) {
  const place = usePlace(user)
  const path = useRouterState({ select: state => state.location.pathname })
  useKeptFocus()
  const [isMenuOpen, setMenuOpen] = useState(false)
  // A navigation closes the menu, whatever led to it.
  useEffect(() => (path === '' ? undefined : setMenuOpen(false)), [path])
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-page focus:p-3">
        Skip to the content
      </a>
      {/* A navigation closes what is open in the bar. */}
      <header key={path} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-page px-4 py-2">
        <Button
          className="md:hidden"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </Button>
        <Link to="/app" className="font-bold text-ink no-underline">
          Sallyport
        </Link>
        <TenantSwitcher user={user} tenantId={place.tenantId} />
        {place.tenantId !== null && <ProjectSwitcher tenantId={place.tenantId} projectId={place.projectId} />}
        <AccountMenu email={user.email} />
      </header>
      <div className="flex grow flex-col md:flex-row">
        <div
          id="navigation"
          className={classNames(
            'border-line max-md:border-b md:block md:w-56 md:shrink-0 md:border-r',
            !isMenuOpen && 'hidden',
          )}
        >
          <Navigation {...place} />
        </div>
        <main id="main" tabIndex={-1} className="min-w-0 grow p-4 outline-none md:p-8">
          {children}
        </main>
      </div>
    </div>
  )
}

function TenantSwitcher({ user, tenantId }: { user: SignedInUser; tenantId: string | null }) {
  const current = user.tenants.find(({ id }) => id === tenantId)
  if (user.tenants.length === 0) return null
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

function ProjectSwitcher({ tenantId, projectId }: { tenantId: string; projectId: string | null }) {
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  const current = projects.find(({ id }) => id === projectId)
  if (projects.length === 0) return null
  return (
    <Switcher label="Project" current={current?.name ?? 'All projects'}>
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

function AccountMenu({ email }: { email: string }) {
  return (
    <div className="ml-auto">
      <Switcher label="Account" current={email} onPhone="label">
        <Link to="/app/account">Password and sessions</Link>
        <a href="/docs">Documentation</a>
        <ActionButton run={signOut}>Sign out</ActionButton>
      </Switcher>
    </div>
  )
}
