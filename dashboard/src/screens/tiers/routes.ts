// The tiers of a project, and the form for one of them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const tierRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'tiers',
    staticData: { title: 'Tiers' },
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
