// The projects of a tenant, and one project itself: its name, its addresses, and its end.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Folder, Wrench } from 'lucide-react'
import { projectRoute, tenantRoute } from '../../router/parents.tsx'

export const tenantProjectRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'projects',
    staticData: { listed: { title: 'Projects', group: 'Tenant', icon: Folder, words: 'applications' } },
    component: lazyRouteComponent(() => import('./projects-screen.tsx'), 'ProjectsScreen'),
  }),
] as const

export const projectScreenRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'general',
    staticData: { listed: { title: 'General', group: 'Configure', icon: Wrench, words: 'rename suspend delete host' } },
    component: lazyRouteComponent(() => import('./general-screen.tsx'), 'GeneralScreen'),
  }),
] as const
