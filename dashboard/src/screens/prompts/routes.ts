// The prompts of a project, and the form for one of them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const promptRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'prompts',
    staticData: { title: 'Prompts' },
    component: lazyRouteComponent(() => import('./prompts-screen.tsx'), 'PromptsScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'prompts/new',
    component: lazyRouteComponent(() => import('./prompt-screen.tsx'), 'NewPromptScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'prompts/one/$promptName',
    component: lazyRouteComponent(() => import('./prompt-screen.tsx'), 'PromptScreen'),
  }),
] as const
