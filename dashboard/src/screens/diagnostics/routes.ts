// What the configuration of a project rejected lately.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Stethoscope } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const diagnosticRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'diagnostics',
    staticData: {
      listed: { title: 'Diagnostics', group: 'Observe', icon: Stethoscope, words: 'cors rejected tokens why 401 403' },
    },
    component: lazyRouteComponent(() => import('./diagnostics-screen.tsx'), 'DiagnosticsScreen'),
  }),
] as const
