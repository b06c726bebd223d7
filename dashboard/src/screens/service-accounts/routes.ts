// The service accounts of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const serviceAccountRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'service-accounts',
    staticData: { title: 'Service accounts' },
    component: lazyRouteComponent(() => import('./service-accounts-screen.tsx'), 'ServiceAccountsScreen'),
  }),
] as const
