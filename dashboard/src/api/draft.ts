// Changes the draft of a project's settings, some fields at a time, and deploys it.
import type { ManagementRoutes } from '@sallyport/sdk'
import { request } from './management.ts'
import { lastChanges, queryClient, settingsQuery } from './queries.ts'

export type SettingsDraft = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings']['output']
type Changes = NonNullable<ManagementRoutes['PUT /auth/v1/projects/{projectId}/settings']['input']['body']>

/** What differs from the live settings is read again, too: its key begins with that of the draft. */
export async function refreshSettings(projectId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: settingsQuery(projectId).queryKey }),
    queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(lastChanges) }),
  ])
}

/** Returns when the screens show the saved draft. */
export async function saveDraft(projectId: string, body: Changes): Promise<SettingsDraft> {
  const { queryKey } = settingsQuery(projectId)
  const draft = await request('PUT', '/auth/v1/projects/{projectId}/settings', { path: { projectId }, body })
  // A read that began before the write would bring the old values back.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, draft)
  await refreshSettings(projectId)
  return draft
}

/** To the origins of this moment: others may have changed the draft since it was read. */
export async function addOrigin(projectId: string, origin: string): Promise<void> {
  const { cors_origins: origins } = await queryClient.fetchQuery({ ...settingsQuery(projectId), staleTime: 0 })
  await saveDraft(projectId, { cors_origins: [...new Set([...origins, origin])] })
}

/** The draft may have been deployed even if the response got lost. */
export async function deployDraft(projectId: string): Promise<void> {
  try {
    await request('POST', '/auth/v1/projects/{projectId}/settings/deploy', { path: { projectId } })
  } finally {
    await refreshSettings(projectId)
  }
}
