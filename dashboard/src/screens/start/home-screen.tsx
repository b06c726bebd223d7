// Leads from the start page to the only project of the user's only tenant, to the projects of the first tenant, or to
// the first steps.
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { projectsQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { ScreenLoading } from '../../router/route-states.tsx'

export function HomeScreen() {
  const { tenants } = useUser()
  const [tenant] = tenants
  if (tenant === undefined) return <Navigate to="/app/start" replace />
  if (tenants.length === 1) return <HomeOfTenant tenantId={tenant.id} />
  return <Navigate to="/app/tenants/$tenantId/projects" params={{ tenantId: tenant.id }} replace />
}

function HomeOfTenant({ tenantId }: { tenantId: string }) {
  const { data: projects, isPending } = useQuery(projectsQuery(tenantId))
  if (isPending) return <ScreenLoading />
  const [project] = projects ?? []
  if (projects?.length === 1 && project !== undefined) {
    return <Navigate to="/app/projects/$projectId" params={{ projectId: project.id }} replace />
  }
  // Which also shows why the projects could not be read.
  return <Navigate to="/app/tenants/$tenantId/projects" params={{ tenantId }} replace />
}
