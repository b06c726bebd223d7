// The end users of a project, and one of them. An id may contain anything, so it is in the search, not in the path.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { type GivenSearch, readText, readTexts } from '../../api/search-text.ts'
import { projectRoute } from '../../router/parents.tsx'
import type { ListSearch } from '../../ui/searched-list.tsx'

export const endUserRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'end-users',
    staticData: {
      listed: { title: 'End users', group: 'Observe', icon: Users, words: 'block revoke customers people' },
    },
    validateSearch: (search: GivenSearch): ListSearch => readTexts(search, ['q', 'cursor']),
    component: lazyRouteComponent(() => import('./end-users-screen.tsx'), 'EndUsersScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'end-users/user',
    validateSearch: (search: GivenSearch): { uid: string } => ({ uid: readText(search['uid']) }),
    component: lazyRouteComponent(() => import('./end-user-screen.tsx'), 'EndUserScreen'),
  }),
] as const
