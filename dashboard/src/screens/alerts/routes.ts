// The alerts on the requests of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const alertRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'alerts',
    staticData: { listed: { title: 'Alerts', group: 'Observe', icon: Bell, words: 'notify threshold' } },
    component: lazyRouteComponent(() => import('./alerts-screen.tsx'), 'AlertsScreen'),
  }),
] as const
