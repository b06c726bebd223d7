// The guardrails of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const guardrailRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrails',
    staticData: {
      editsDraft: true,
      listed: {
        title: 'Guardrails',
        group: 'Protect',
        icon: ShieldCheck,
        words: 'pii shield sentinel blocklist masking injection',
      },
    },
    component: lazyRouteComponent(() => import('./guardrails-screen.tsx'), 'GuardrailsScreen'),
  }),
] as const
