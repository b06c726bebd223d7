// The audit of a tenant. The filter is in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { BookOpenCheck } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'
import { readAuditFilter } from './audit-filter.ts'

export const auditRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'audit',
    staticData: { listed: { title: 'Audit', group: 'Tenant', icon: BookOpenCheck, words: 'who changed log chain' } },
    validateSearch: readAuditFilter,
    component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
  }),
] as const
