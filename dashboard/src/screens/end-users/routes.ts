// The end users of a project, and one of them. An id may contain anything, so it is in the search, not in the path.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'
import type { EndUserSearch } from './queries.ts'

/** The router reads `?q=1` as a number. */
const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

export const endUserRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'end-users',
    staticData: { title: 'End users' },
    validateSearch: (search: Record<string, unknown>): EndUserSearch => {
      const [q, cursor] = [textOf(search['q']), textOf(search['cursor'])]
      return { ...(q === '' ? {} : { q }), ...(cursor === '' ? {} : { cursor }) }
    },
    component: lazyRouteComponent(() => import('./end-users-screen.tsx'), 'EndUsersScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'end-users/user',
    validateSearch: (search: Record<string, unknown>): { uid: string } => ({ uid: textOf(search['uid']) }),
    component: lazyRouteComponent(() => import('./end-user-screen.tsx'), 'EndUserScreen'),
  }),
] as const
