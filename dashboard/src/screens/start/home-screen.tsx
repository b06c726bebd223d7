// Leads from the start page to the projects of the user's first tenant, or to the first steps.
import { Navigate } from '@tanstack/react-router'
import { useUser } from '../../api/session.ts'

export function HomeScreen() {
  const [tenant] = useUser().tenants
  if (tenant === undefined) return <Navigate to="/app/start" replace />
  return <Navigate to="/app/tenants/$tenantId/projects" params={{ tenantId: tenant.id }} replace />
}
