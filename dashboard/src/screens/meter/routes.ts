// The meter of a tenant.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { tenantRoute } from '../../router/parents.tsx'

export const meterRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'meter',
    staticData: { listed: { title: 'Meter', group: 'Tenant', icon: Gauge, words: 'billing stripe openmeter lago' } },
    /** Of the customers. */
    validateSearch: (search: GivenSearch): { cursor?: string } => readTexts(search, ['cursor']),
    component: lazyRouteComponent(() => import('./meter-screen.tsx'), 'MeterScreen'),
  }),
] as const
