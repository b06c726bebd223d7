// The first steps of a new user: a project, then its model, its first answer and the code for an application.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute, projectRoute } from '../../router/parents.tsx'

export const startRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: 'start',
    component: lazyRouteComponent(() => import('./start-screen.tsx'), 'StartScreen'),
  }),
] as const

export const firstStepsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'first-steps',
    staticData: { title: 'First steps' },
    component: lazyRouteComponent(() => import('./first-steps-screen.tsx'), 'FirstStepsScreen'),
  }),
] as const
