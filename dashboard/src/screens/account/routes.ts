// The signed-in user's own account.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../router/parents.tsx'

export const accountRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: 'account',
    component: lazyRouteComponent(() => import('./account-screen.tsx'), 'AccountScreen'),
  }),
] as const
