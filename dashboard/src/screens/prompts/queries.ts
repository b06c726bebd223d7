// The prompts of a project as the API lists them, by name. The key begins with that of the settings draft: a rollback
// and a discarded draft replace both.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { liveMs, settingsQuery } from '../../api/queries.ts'

export type Prompt = ManagementRoutes['GET /auth/v1/projects/{projectId}/prompts/{promptName}']['output']
export type PromptBody = ManagementRoutes['PUT /auth/v1/projects/{projectId}/prompts/{promptName}']['input']['body']

/** More than a project can have. */
const limit = 200

export const promptsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'prompts'],
    queryFn: async () => {
      const page = await request('GET', '/auth/v1/projects/{projectId}/prompts', {
        path: { projectId },
        query: { limit },
      })
      return page.data
    },
    refetchInterval: liveMs,
  })
