// The prices that a tenant has set.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Tag } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'

export const priceRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'prices',
    staticData: { listed: { title: 'Prices', group: 'Tenant', icon: Tag, words: 'cost per token' } },
    component: lazyRouteComponent(() => import('./prices-screen.tsx'), 'PricesScreen'),
  }),
] as const
