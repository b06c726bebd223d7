// The identity provider whose tokens a project accepts.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'

export const identityProviderRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'identity-provider',
    staticData: { title: 'Identity provider' },
    component: lazyRouteComponent(() => import('./identity-provider-screen.tsx'), 'IdentityProviderScreen'),
  }),
] as const
