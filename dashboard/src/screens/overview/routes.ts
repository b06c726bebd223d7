// The overview of a project, and that of a tenant. The period is part of the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ChartPie, LayoutDashboard } from 'lucide-react'
import { projectRoute, tenantRoute } from '../../router/parents.tsx'
import { readRange } from './range-links.tsx'

export const projectOverviewRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    staticData: { listed: { title: 'Overview', group: 'Start', icon: LayoutDashboard, words: 'home start' } },
    validateSearch: readRange,
    component: lazyRouteComponent(() => import('./project-overview-screen.tsx'), 'ProjectOverviewScreen'),
  }),
] as const

export const tenantOverviewRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: '/',
    staticData: { listed: { title: 'Overview', group: 'Tenant', icon: ChartPie, words: 'home cost all projects' } },
    validateSearch: readRange,
    component: lazyRouteComponent(() => import('./tenant-overview-screen.tsx'), 'TenantOverviewScreen'),
  }),
] as const
