// Where the user is: the tenant and the project of the screen.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { hasStatus } from '../api/errors.ts'
import { projectQuery, type SignedInUser } from '../api/queries.ts'

export interface Place {
  tenantId: string | null
  projectId: string | null
}

/** A screen of neither belongs to the user's first tenant. */
export function usePlace(user: SignedInUser): Place & { isUnknown: boolean } {
  const params = useParams({ strict: false })
  const projectId = params.projectId ?? null
  const project = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== null })
  const first = user.tenants[0]?.id ?? null
  if (projectId === null) return { tenantId: params.tenantId ?? first, projectId: null, isUnknown: false }
  const isUnknown = project.data === undefined && hasStatus(project.error, 404)
  return { tenantId: project.data?.tenant_id ?? null, projectId, isUnknown }
}
