// The identity provider whose tokens a project accepts.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { IdCard } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const identityProviderRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'identity-provider',
    staticData: {
      listed: {
        title: 'Identity provider',
        group: 'Protect',
        icon: IdCard,
        words: 'jwt oidc issuer firebase auth0 token inspect',
      },
    },
    component: lazyRouteComponent(() => import('./identity-provider-screen.tsx'), 'IdentityProviderScreen'),
  }),
] as const
