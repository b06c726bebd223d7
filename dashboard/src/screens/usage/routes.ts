// The usage of a project, and its closed days. Period, grouping and end user are in the address, so that a view can be
// shared.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'
import { readClosedDaysSearch, readUsageSearch } from './usage-search.ts'

export const usageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'usage',
    staticData: {
      listed: { title: 'Usage and cost', group: 'Observe', icon: ChartColumn, words: 'spend tokens money export' },
    },
    validateSearch: readUsageSearch,
    component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'usage/days',
    validateSearch: readClosedDaysSearch,
    component: lazyRouteComponent(() => import('./closed-days-screen.tsx'), 'ClosedDaysScreen'),
  }),
] as const
