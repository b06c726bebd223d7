// The first steps of a new user: a project, then its model, its first answer and the code for an application.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
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
    staticData: {
      listed: { title: 'First steps', group: 'Start', icon: Rocket, words: 'begin setup onboarding snippet code' },
    },
    component: lazyRouteComponent(() => import('./first-steps-screen.tsx'), 'FirstStepsScreen'),
  }),
] as const
