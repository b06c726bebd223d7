// The deployments of a project's settings.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const deploymentRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'deployments',
    staticData: { title: 'Deployments' },
    component: lazyRouteComponent(() => import('./deployments-screen.tsx'), 'DeploymentsScreen'),
  }),
] as const
