// The prompts of a project, and the form for one of them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { MessageSquareText } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const promptRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'prompts',
    staticData: { listed: { title: 'Prompts', group: 'Build', icon: MessageSquareText, words: 'template version' } },
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
