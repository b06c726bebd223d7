// The routes that others stand below. A screen reads its tenant or project from them.
import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { Providers } from './providers.tsx'
import { NotFound, ScreenError } from './route-states.tsx'
import { SignedIn } from './signed-in.tsx'

/** How the navigation and the command menu list a screen. */
interface ListedScreen {
  title: string
  /** `Start` stands above the groups of a project; a tenant has one group. */
  group: 'Start' | 'Observe' | 'Build' | 'Protect' | 'Configure' | 'Tenant'
  icon: LucideIcon
  /** What people who look for it may call it, besides its title. */
  words?: string
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    listed?: ListedScreen
    /** The screen has forms of the draft, so that its bar is there before the first edit. */
    editsDraft?: true
  }
}

export const rootRoute = createRootRoute({
  component: () => (
    <Providers>
      <Outlet />
    </Providers>
  ),
  notFoundComponent: NotFound,
  errorComponent: ScreenError,
})

/** All screens that need a session. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'app',
  component: SignedIn,
  notFoundComponent: NotFound,
})

export const tenantRoute = createRoute({ getParentRoute: () => appRoute, path: 'tenants/$tenantId' })

export const projectRoute = createRoute({ getParentRoute: () => appRoute, path: 'projects/$projectId' })
