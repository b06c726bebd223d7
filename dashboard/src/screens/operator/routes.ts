// The screens of the operator of an installation. All stand below the form that asks how they sign in.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readDay } from '../../api/days.ts'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { appRoute } from '../../router/parents.tsx'
import type { ListSearch } from '../../ui/searched-list.tsx'
import { readAuditFilter } from '../audit/audit-filter.ts'
import { groupings, type UsageSearch } from './queries.ts'

export const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'operator',
  component: lazyRouteComponent(() => import('./operator-frame.tsx'), 'OperatorFrame'),
})

export const operatorScreenRoutes = [
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/',
    validateSearch: (search: GivenSearch): ListSearch => readTexts(search, ['q', 'cursor']),
    component: lazyRouteComponent(() => import('./tenants-screen.tsx'), 'TenantsScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'overview',
    component: lazyRouteComponent(() => import('./overview-screen.tsx'), 'OperatorOverviewScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'projects',
    validateSearch: (search: GivenSearch): ListSearch => readTexts(search, ['q', 'cursor']),
    component: lazyRouteComponent(() => import('./projects-screen.tsx'), 'OperatorProjectsScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'kill-switches',
    component: lazyRouteComponent(() => import('./kill-switches-screen.tsx'), 'KillSwitchesScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'catalog',
    component: lazyRouteComponent(() => import('./catalog-screen.tsx'), 'CatalogScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'access',
    component: lazyRouteComponent(() => import('./access-screen.tsx'), 'OperatorAccessScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'audit',
    validateSearch: readAuditFilter,
    component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'OperatorAuditScreen'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: 'usage',
    validateSearch: (search: GivenSearch): UsageSearch => {
      const grouping = groupings.find(name => name === search['group_by'])
      const [first, last] = [readDay(search['from']), readDay(search['to'])]
      return {
        ...readTexts(search, ['cursor']),
        ...(first && { from: first }),
        ...(last && { to: last }),
        ...(grouping && { group_by: grouping }),
      }
    },
    component: lazyRouteComponent(() => import('./operator-usage-screen.tsx'), 'OperatorUsageScreen'),
  }),
] as const
