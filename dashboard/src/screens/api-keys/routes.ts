// The API keys of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const apiKeyRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'api-keys',
    staticData: { listed: { title: 'API keys', group: 'Build', icon: KeyRound, words: 'service key rotate secret' } },
    component: lazyRouteComponent(() => import('./api-keys-screen.tsx'), 'ApiKeysScreen'),
  }),
] as const
