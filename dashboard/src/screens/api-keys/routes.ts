// The API keys of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const apiKeyRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'api-keys',
    staticData: { title: 'API keys' },
    component: lazyRouteComponent(() => import('./api-keys-screen.tsx'), 'ApiKeysScreen'),
  }),
] as const
