// The guardrails of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const guardrailRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrails',
    staticData: { title: 'Guardrails' },
    component: lazyRouteComponent(() => import('./guardrails-screen.tsx'), 'GuardrailsScreen'),
  }),
] as const
