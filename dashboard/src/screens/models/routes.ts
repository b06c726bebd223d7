// The models that a project can use.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const modelRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'models',
    staticData: { title: 'Models' },
    component: lazyRouteComponent(() => import('./models-screen.tsx'), 'ModelsScreen'),
  }),
] as const
