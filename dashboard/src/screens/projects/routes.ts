// The projects of a tenant, and the overview of one.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Folder, LayoutDashboard } from 'lucide-react'
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
    path: '/',
    staticData: { listed: { title: 'Overview', group: 'Start', icon: LayoutDashboard, words: 'home start' } },
    component: lazyRouteComponent(() => import('./project-screen.tsx'), 'ProjectScreen'),
  }),
] as const
