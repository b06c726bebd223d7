// The routes of the dashboard. A screen's file loads when it is first visited; sign-in and the frame load at once.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { accountRoutes } from '../screens/account/routes.ts'
import { apiKeyRoutes } from '../screens/api-keys/routes.ts'
import { deploymentRoutes } from '../screens/deployments/routes.ts'
import { projectScreenRoutes, tenantProjectRoutes } from '../screens/projects/routes.ts'
import { settingsRoutes } from '../screens/settings/routes.ts'
import { linkRoutes } from '../screens/sign-in/routes.ts'
import { firstStepsRoutes, startRoutes } from '../screens/start/routes.ts'
import { tierRoutes } from '../screens/tiers/routes.ts'
import { appRoute, projectRoute, rootRoute, tenantRoute } from './parents.tsx'
import { ScreenError, ScreenLoading } from './route-states.tsx'

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/app', replace: true })
  },
})

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/start/home-screen.tsx'), 'HomeScreen'),
})

// The navigation lists the screens in this order.
const routeTree = rootRoute.addChildren([
  indexRoute,
  ...linkRoutes,
  appRoute.addChildren([
    homeRoute,
    projectRoute.addChildren([
      ...projectScreenRoutes,
      ...firstStepsRoutes,
      ...apiKeyRoutes,
      ...settingsRoutes,
      ...deploymentRoutes,
      ...tierRoutes,
    ]),
    tenantRoute.addChildren([...tenantProjectRoutes]),
    ...accountRoutes,
    ...startRoutes,
  ]),
])

export const router = createRouter({
  routeTree,
  scrollRestoration: false,
  defaultErrorComponent: ScreenError,
  defaultPendingComponent: ScreenLoading,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
