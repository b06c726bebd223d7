// The first steps of a new user.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../router/parents.tsx'

export const startRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: 'start',
    component: lazyRouteComponent(() => import('./start-screen.tsx'), 'StartScreen'),
  }),
] as const
