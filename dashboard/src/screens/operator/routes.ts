// The screens of the operator of an installation. All stand below the form for the admin secret.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../router/parents.tsx'
import { groupings, type TenantSearch, type UsageSearch } from './queries.ts'

/** The router reads `?q=1` as a number. */
const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

type GivenSearch = Record<string, unknown>

/** Without empty fields. */
function pick(search: GivenSearch, names: readonly string[]): Record<string, string> {
  const fields = names.map(name => [name, textOf(search[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

export const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'operator',
  component: lazyRouteComponent(() => import('./operator-frame.tsx'), 'OperatorFrame'),
})

export const operatorScreenRoutes = [
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/',
    validateSearch: (search: GivenSearch): TenantSearch => pick(search, ['q', 'cursor']),
    component: lazyRouteComponent(() => import('./tenants-screen.tsx'), 'TenantsScreen'),
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
    path: 'usage',
    validateSearch: (search: GivenSearch): UsageSearch => {
      const grouping = groupings.find(name => name === search['group_by'])
      return { ...pick(search, ['from', 'to', 'cursor']), ...(grouping === undefined ? {} : { group_by: grouping }) }
    },
    component: lazyRouteComponent(() => import('./operator-usage-screen.tsx'), 'OperatorUsageScreen'),
  }),
] as const
