// The provider keys of a tenant, its custom providers and its clouds.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { tenantRoute } from '../../router/parents.tsx'

export const providerKeyRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'provider-keys',
    staticData: {
      listed: {
        title: 'Provider keys',
        group: 'Tenant',
        icon: Plug,
        words: 'byoak openai anthropic azure bedrock vertex ollama custom',
      },
    },
    component: lazyRouteComponent(() => import('./provider-keys-screen.tsx'), 'ProviderKeysScreen'),
  }),
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'provider-keys/new-custom',
    validateSearch: (search: GivenSearch): { preset?: string } => readTexts(search, ['preset']),
    component: lazyRouteComponent(() => import('./custom-provider-screens.tsx'), 'NewCustomProviderScreen'),
  }),
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'provider-keys/custom/$slug',
    component: lazyRouteComponent(() => import('./custom-provider-screens.tsx'), 'CustomProviderScreen'),
  }),
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'provider-keys/clouds/$cloud',
    component: lazyRouteComponent(() => import('./cloud-screen.tsx'), 'CloudScreen'),
  }),
] as const
