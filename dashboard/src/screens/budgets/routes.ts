// The budgets of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const budgetRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'budgets',
    staticData: { title: 'Budgets' },
    component: lazyRouteComponent(() => import('./tenant-budgets-screen.tsx'), 'TenantBudgetsScreen'),
  }),
] as const
