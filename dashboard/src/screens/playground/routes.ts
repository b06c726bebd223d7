// The playground of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'playground',
    staticData: { title: 'Playground' },
    component: lazyRouteComponent(() => import('./playground-screen.tsx'), 'PlaygroundScreen'),
  }),
] as const
