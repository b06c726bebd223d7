// The routes of the dashboard. A screen's file loads when it is first visited; sign-in and the frame load at once.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { designRoutes } from '../design/routes.ts'
import { accountRoutes } from '../screens/account/routes.ts'
import { activityRoutes } from '../screens/activity/routes.ts'
import { alertRoutes } from '../screens/alerts/routes.ts'
import { apiKeyRoutes } from '../screens/api-keys/routes.ts'
import { auditRoutes } from '../screens/audit/routes.ts'
import { budgetRoutes } from '../screens/budgets/routes.ts'
import { deploymentRoutes } from '../screens/deployments/routes.ts'
import { diagnosticRoutes } from '../screens/diagnostics/routes.ts'
import { endUserRoutes } from '../screens/end-users/routes.ts'
import { eventRoutes } from '../screens/events/routes.ts'
import { guardrailRoutes } from '../screens/guardrails/routes.ts'
import { identityProviderRoutes } from '../screens/identity-provider/routes.ts'
import { memberRoutes } from '../screens/members/routes.ts'
import { meterRoutes } from '../screens/meter/routes.ts'
import { modelRoutes } from '../screens/models/routes.ts'
import { operatorRoute, operatorScreenRoutes } from '../screens/operator/routes.ts'
import { projectOverviewRoutes, tenantOverviewRoutes } from '../screens/overview/routes.ts'
import { playgroundRoutes } from '../screens/playground/routes.ts'
import { priceRoutes } from '../screens/prices/routes.ts'
import { projectScreenRoutes, tenantProjectRoutes } from '../screens/projects/routes.ts'
import { promptRoutes } from '../screens/prompts/routes.ts'
import { providerKeyRoutes } from '../screens/provider-keys/routes.ts'
import { requestRoutes } from '../screens/requests/routes.ts'
import { serviceAccountRoutes } from '../screens/service-accounts/routes.ts'
import { settingsRoutes } from '../screens/settings/routes.ts'
import { linkRoutes } from '../screens/sign-in/routes.ts'
import { signOnLandingRoutes, singleSignOnRoutes } from '../screens/single-sign-on/routes.ts'
import { firstStepsRoutes, startRoutes } from '../screens/start/routes.ts'
import { tenantSettingsRoutes } from '../screens/tenant/routes.ts'
import { tierRoutes } from '../screens/tiers/routes.ts'
import { usageRoutes } from '../screens/usage/routes.ts'
import { webhookRoutes } from '../screens/webhooks/routes.ts'
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
  ...signOnLandingRoutes,
  ...designRoutes,
  appRoute.addChildren([
    homeRoute,
    projectRoute.addChildren([
      ...projectOverviewRoutes,
      ...firstStepsRoutes,
      ...activityRoutes,
      ...requestRoutes,
      ...alertRoutes,
      ...usageRoutes,
      ...endUserRoutes,
      ...playgroundRoutes,
      ...modelRoutes,
      ...settingsRoutes,
      ...deploymentRoutes,
      ...tierRoutes,
      ...promptRoutes,
      ...guardrailRoutes,
      ...eventRoutes,
      ...apiKeyRoutes,
      ...identityProviderRoutes,
      ...diagnosticRoutes,
      ...projectScreenRoutes,
    ]),
    tenantRoute.addChildren([
      ...tenantOverviewRoutes,
      ...tenantProjectRoutes,
      ...providerKeyRoutes,
      ...priceRoutes,
      ...budgetRoutes,
      ...meterRoutes,
      ...memberRoutes,
      ...serviceAccountRoutes,
      ...singleSignOnRoutes,
      ...webhookRoutes,
      ...auditRoutes,
      ...tenantSettingsRoutes,
    ]),
    ...accountRoutes,
    ...startRoutes,
    operatorRoute.addChildren([...operatorScreenRoutes]),
  ]),
])

export const router = createRouter({
  routeTree,
  scrollRestoration: false,
  // What a route's `validateSearch` leaves out does not come back from the address.
  search: { strict: true },
  // A screen of another project or tenant begins anew: no data, edit or open dialog of the one before stays.
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: ScreenError,
  defaultPendingComponent: ScreenLoading,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
