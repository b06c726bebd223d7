// What the configuration of a project rejected lately.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const diagnosticRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'diagnostics',
    staticData: { title: 'Diagnostics' },
    component: lazyRouteComponent(() => import('./diagnostics-screen.tsx'), 'DiagnosticsScreen'),
  }),
] as const
