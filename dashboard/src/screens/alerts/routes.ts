// The alerts on the requests of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const alertRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'alerts',
    staticData: { title: 'Alerts' },
    component: lazyRouteComponent(() => import('./alerts-screen.tsx'), 'AlertsScreen'),
  }),
] as const
