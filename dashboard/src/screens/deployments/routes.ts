// The deployments of a project's settings.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const deploymentRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'deployments',
    staticData: { listed: { title: 'Deployments', group: 'Configure', icon: History, words: 'roll back versions' } },
    component: lazyRouteComponent(() => import('./deployments-screen.tsx'), 'DeploymentsScreen'),
  }),
] as const
