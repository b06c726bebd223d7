// The pages that links of the product lead to; they need no session.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../router/parents.tsx'

export const linkRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'invite',
    component: lazyRouteComponent(() => import('./link-screens.tsx'), 'InviteScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'reset',
    component: lazyRouteComponent(() => import('./link-screens.tsx'), 'ResetScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'device',
    component: lazyRouteComponent(() => import('./device-screen.tsx'), 'DeviceScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'upgrade',
    component: lazyRouteComponent(() => import('./upgrade-screen.tsx'), 'UpgradeScreen'),
  }),
] as const
