// What the guardrails of a project did: each event, and the report of some days. Filters are part of the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../router/parents.tsx'
import { readDays, readEventFilter } from './filter.ts'

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrail-events',
    staticData: { title: 'Guardrail events' },
    validateSearch: readEventFilter,
    component: lazyRouteComponent(() => import('./events-screen.tsx'), 'EventsScreen'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'guardrail-report',
    staticData: { title: 'Guardrail report' },
    validateSearch: readDays,
    component: lazyRouteComponent(() => import('./report-screen.tsx'), 'ReportScreen'),
  }),
] as const
