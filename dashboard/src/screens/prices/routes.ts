// The prices that a tenant has set.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const priceRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'prices',
    staticData: { title: 'Prices' },
    component: lazyRouteComponent(() => import('./prices-screen.tsx'), 'PricesScreen'),
  }),
] as const
