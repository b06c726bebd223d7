// The models that a project can use.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Box } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const modelRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'models',
    staticData: { listed: { title: 'Models', group: 'Build', icon: Box, words: 'providers catalog prices' } },
    component: lazyRouteComponent(() => import('./models-screen.tsx'), 'ModelsScreen'),
  }),
] as const
