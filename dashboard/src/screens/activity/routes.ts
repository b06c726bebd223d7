// The last hour of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const activityRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity',
    staticData: { title: 'Activity' },
    component: lazyRouteComponent(() => import('./activity-screen.tsx'), 'ActivityScreen'),
  }),
] as const
