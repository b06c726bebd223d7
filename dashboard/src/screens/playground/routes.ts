// The playground of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'playground',
    staticData: {
      listed: { title: 'Playground', group: 'Build', icon: FlaskConical, words: 'try chat compare draft' },
    },
    component: lazyRouteComponent(() => import('./playground-screen.tsx'), 'PlaygroundScreen'),
  }),
] as const
