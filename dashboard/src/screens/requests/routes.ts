// The requests of a project, and one of them. The filters are in the address, so that a view can be shared.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'
import { readComparison } from './compare-query.ts'
import { readRequestSearch } from './search.ts'

export const requestRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'requests',
    staticData: {
      listed: { title: 'Requests', group: 'Observe', icon: ScrollText, words: 'log traces history calls' },
    },
    validateSearch: readRequestSearch,
    component: lazyRouteComponent(() => import('./requests-screen.tsx'), 'RequestsScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'requests/compare',
    validateSearch: readComparison,
    component: lazyRouteComponent(() => import('./compare-screen.tsx'), 'CompareScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'requests/$requestId',
    component: lazyRouteComponent(() => import('./request-screen.tsx'), 'RequestScreen'),
  }),
] as const
