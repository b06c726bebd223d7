// The tenant itself: its plan, its name, its data.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Settings } from 'lucide-react'
import { tenantRoute } from '../../router/parents.tsx'

export const tenantSettingsRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'settings',
    staticData: { listed: { title: 'Tenant settings', group: 'Tenant', icon: Settings, words: 'rename plan delete' } },
    component: lazyRouteComponent(() => import('./tenant-screen.tsx'), 'TenantScreen'),
  }),
] as const
