// The navigation: every screen of the project, the tenant and the account that has a title, in the order of the routes.
import { Link, type LinkProps, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Place } from './place.ts'

export function Navigation({ tenantId, projectId }: Place) {
  return (
    <nav aria-label="Main" className="flex flex-col gap-4 p-4">
      {projectId !== null && <Group title="Project" parent="/app/projects/$projectId" params={{ projectId }} />}
      {tenantId !== null && <Group title="Tenant" parent="/app/tenants/$tenantId" params={{ tenantId }} />}
      <NavigationList title="Account">
        <NavigationLink to="/app/account">Password and sessions</NavigationLink>
        <NavigationLink to="/app/start">New project</NavigationLink>
        <NavigationLink to="/app/operator">Operator</NavigationLink>
      </NavigationList>
    </nav>
  )
}

interface GroupProps {
  title: string
  parent: string
  params: Record<string, string>
}

function Group({ title, parent, params }: GroupProps) {
  const { routesById } = useRouter()
  const routes = Object.values(routesById).filter(route => route.parentRoute?.id === parent)
  return (
    <NavigationList title={title}>
      {routes.map(({ fullPath, options }) => {
        const name = options.staticData?.title
        if (name === undefined) return null
        return (
          <NavigationLink key={fullPath} to={fullPath as LinkProps['to']} params={params as LinkProps['params']}>
            {name}
          </NavigationLink>
        )
      })}
    </NavigationList>
  )
}

function NavigationList({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <p className="px-3 pb-1 text-sm font-semibold text-soft">{title}</p>
      <ul>{children}</ul>
    </div>
  )
}

function NavigationLink({ to, params, children }: Pick<LinkProps, 'to' | 'params'> & { children: ReactNode }) {
  return (
    <li>
      <Link
        to={to}
        params={params}
        activeOptions={{ exact: true }}
        className="block rounded px-3 py-1.5 text-ink no-underline hover:bg-raised aria-[current=page]:bg-raised aria-[current=page]:font-semibold"
      >
        {children}
      </Link>
    </li>
  )
}
