// The events of a tenant, the webhooks that get them, and what was sent to each.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Radio, Webhook } from 'lucide-react'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { tenantRoute } from '../../router/parents.tsx'
import { readTenantEventFilter } from './event-names.ts'

export const webhookRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'events',
    staticData: { listed: { title: 'Events', group: 'Tenant', icon: Radio, words: 'tenant events' } },
    validateSearch: readTenantEventFilter,
    component: lazyRouteComponent(() => import('./events-screen.tsx'), 'TenantEventsScreen'),
  }),
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'webhooks',
    staticData: { listed: { title: 'Webhooks', group: 'Tenant', icon: Webhook, words: 'notify deliveries' } },
    component: lazyRouteComponent(() => import('./webhooks-screen.tsx'), 'WebhooksScreen'),
  }),
  createRoute({
    getParentRoute: () => tenantRoute,
    path: 'webhooks/$webhookId',
    validateSearch: (search: GivenSearch): { cursor?: string } => readTexts(search, ['cursor']),
    component: lazyRouteComponent(() => import('./deliveries-screen.tsx'), 'DeliveriesScreen'),
  }),
] as const
