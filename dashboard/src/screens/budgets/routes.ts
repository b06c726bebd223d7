// The budgets of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'

export const budgetRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'budgets',
    staticData: { listed: { title: 'Budgets', group: 'Tenant', icon: Wallet, words: 'spend limit money' } },
    component: lazyRouteComponent(() => import('./tenant-budgets-screen.tsx'), 'TenantBudgetsScreen'),
  }),
] as const
