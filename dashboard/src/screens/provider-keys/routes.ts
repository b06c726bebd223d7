// The provider keys of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const providerKeyRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'provider-keys',
    staticData: { title: 'Provider keys' },
    component: lazyRouteComponent(() => import('./provider-keys-screen.tsx'), 'ProviderKeysScreen'),
  }),
] as const
