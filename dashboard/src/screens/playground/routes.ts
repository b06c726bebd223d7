// The playground of a project.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { projectRoute } from '../../router/parents.tsx'

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'playground',
    staticData: {
      listed: { title: 'Playground', group: 'Build', icon: FlaskConical, words: 'try chat compare draft' },
    },
    /** `request`: one of the log, to replay. */
    validateSearch: (search: GivenSearch): { request?: string } => readTexts(search, ['request']),
    component: lazyRouteComponent(() => import('./playground-screen.tsx'), 'PlaygroundScreen'),
  }),
] as const
