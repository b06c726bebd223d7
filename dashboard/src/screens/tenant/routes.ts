// The tenant itself: its plan, its name, its data.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { tenantRoute } from '../../router/parents.tsx'

export const tenantSettingsRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'settings',
    staticData: { title: 'Tenant settings' },
    component: lazyRouteComponent(() => import('./tenant-screen.tsx'), 'TenantScreen'),
  }),
] as const
