// The people of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const memberRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'members',
    staticData: { title: 'Members' },
    component: lazyRouteComponent(() => import('./members-screen.tsx'), 'MembersScreen'),
  }),
] as const
