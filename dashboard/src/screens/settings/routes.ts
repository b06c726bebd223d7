// The settings of a project: the draft, and what of it is not live.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'settings',
    staticData: {
      editsDraft: true,
      listed: {
        title: 'Settings',
        group: 'Configure',
        icon: SlidersHorizontal,
        words: 'draft deploy limits origins cors routes cache memory',
      },
    },
    component: lazyRouteComponent(() => import('./settings-screen.tsx'), 'SettingsScreen'),
  }),
] as const
