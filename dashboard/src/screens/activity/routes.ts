// The last hour of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const activityRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity',
    staticData: {
      listed: { title: 'Activity', group: 'Observe', icon: Activity, words: 'live now last hour latency errors' },
    },
    component: lazyRouteComponent(() => import('./activity-screen.tsx'), 'ActivityScreen'),
  }),
] as const
