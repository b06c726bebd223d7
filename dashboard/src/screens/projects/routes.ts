// The projects of a tenant, and the overview of one.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute, tenantRoute } from '../../router/parents.tsx'

export const tenantProjectRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'projects',
    staticData: { title: 'Projects' },
    component: lazyRouteComponent(() => import('./projects-screen.tsx'), 'ProjectsScreen'),
  }),
] as const

export const projectScreenRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    staticData: { title: 'Overview' },
    component: lazyRouteComponent(() => import('./project-screen.tsx'), 'ProjectScreen'),
  }),
] as const
