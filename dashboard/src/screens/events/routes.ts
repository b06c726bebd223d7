// What the guardrails of a project did: each event, and the report of some days. Filters are part of the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ClipboardList, ShieldAlert } from 'lucide-react'
import { projectRoute } from '../../router/parents.tsx'
import { readDays, readEventFilter } from './filter.ts'

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrail-events',
    staticData: {
      listed: { title: 'Guardrail events', group: 'Observe', icon: ShieldAlert, words: 'blocked masked detections' },
    },
    validateSearch: readEventFilter,
    component: lazyRouteComponent(() => import('./events-screen.tsx'), 'EventsScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrail-report',
    staticData: {
      listed: { title: 'Guardrail report', group: 'Observe', icon: ClipboardList, words: 'shadow enforce' },
    },
    validateSearch: readDays,
    component: lazyRouteComponent(() => import('./report-screen.tsx'), 'ReportScreen'),
  }),
] as const
