// The routes that others stand below. A screen reads its tenant or project from them.
import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router'
import { Providers } from './providers.tsx'
import { NotFound, ScreenError } from './route-states.tsx'
import { SignedIn } from './signed-in.tsx'

/** Where a screen is listed in the navigation, and under which name. */
declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
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
