// The single sign-on of a tenant, and the page on which a sign-in lands that needs something of the person.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { rootRoute, tenantRoute } from '../../router/parents.tsx'

export const singleSignOnRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'single-sign-on',
    staticData: {
      listed: { title: 'Single sign-on', group: 'Tenant', icon: LogIn, words: 'sso oidc entra okta google keycloak' },
    },
    component: lazyRouteComponent(() => import('./single-sign-on-screen.tsx'), 'SingleSignOnScreen'),
  }),
] as const

export const signOnLandingRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sso',
    validateSearch: ({ problem }: Record<string, unknown>): { problem?: string } =>
      typeof problem === 'string' ? { problem } : {},
    component: lazyRouteComponent(() => import('./landing-screen.tsx'), 'SignOnLandingScreen'),
  }),
] as const
