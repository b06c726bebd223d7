// The service accounts of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'

export const serviceAccountRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'service-accounts',
    staticData: {
      listed: { title: 'Service accounts', group: 'Tenant', icon: Bot, words: 'management keys automation terraform' },
    },
    component: lazyRouteComponent(() => import('./service-accounts-screen.tsx'), 'ServiceAccountsScreen'),
  }),
] as const
