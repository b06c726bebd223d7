// The usage of a project. Period, grouping and end user are in the address, so that a view can be shared.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'
import { readUsageSearch } from './usage-search.ts'

export const usageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'usage',
    staticData: { title: 'Usage and cost' },
    validateSearch: readUsageSearch,
    component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
  }),
] as const
