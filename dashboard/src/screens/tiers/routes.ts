// The tiers of a project, and the form for one of them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const tierRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'tiers',
    staticData: { listed: { title: 'Tiers', group: 'Protect', icon: Layers, words: 'plans limits overrides' } },
    component: lazyRouteComponent(() => import('./tiers-screen.tsx'), 'TiersScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'tiers/new',
    component: lazyRouteComponent(() => import('./tier-screen.tsx'), 'NewTierScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'tiers/$tierId',
    component: lazyRouteComponent(() => import('./tier-screen.tsx'), 'TierScreen'),
  }),
] as const
