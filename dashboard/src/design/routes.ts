// The page of the design system, on the development server only: the build leaves it out.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../router/parents.tsx'

export const designRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: 'design',
        component: lazyRouteComponent(() => import('./design-screen.tsx'), 'DesignScreen'),
      }),
    ]
  : []
