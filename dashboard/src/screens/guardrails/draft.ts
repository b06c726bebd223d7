// The draft of a project's settings, as the screens change it: some fields at a time.
import type { ManagementRoutes } from '@sallyport/sdk'
import { request } from '../../api/management.ts'
import { queryClient, settingsQuery } from '../../api/queries.ts'

export type Draft = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings']['output']
type Changes = NonNullable<ManagementRoutes['PUT /auth/v1/projects/{projectId}/settings']['input']['body']>

export async function saveDraft(projectId: string, body: Changes): Promise<void> {
  const { queryKey } = settingsQuery(projectId)
  const draft = await request('PUT', '/auth/v1/projects/{projectId}/settings', { path: { projectId }, body })
  // A read that began before the write would bring the old values back.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, draft)
}
