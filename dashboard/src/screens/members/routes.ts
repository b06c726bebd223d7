// The people of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { UserCog } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'

export const memberRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'members',
    staticData: {
      listed: { title: 'Members', group: 'Tenant', icon: UserCog, words: 'invite somebody people users roles team' },
    },
    component: lazyRouteComponent(() => import('./members-screen.tsx'), 'MembersScreen'),
  }),
] as const
