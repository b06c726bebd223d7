// The API key that the first steps create. Its plaintext stays in the memory of the page until the user reloads it or
// signs out, so that the steps can be left and resumed.
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { apiKeysQuery, queryClient } from '../../api/queries.ts'

/** Null until the key is created. Only `createNewKey` sets it: the plaintext cannot be read again. */
export const newKeyQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'new-api-key'],
    queryFn: (): string | null => null,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  })

export async function createNewKey(projectId: string): Promise<void> {
  const path = '/auth/v1/projects/{projectId}/api-keys'
  const created = await request('POST', path, { path: { projectId }, body: { name: 'First steps' } })
  queryClient.setQueryData(newKeyQuery(projectId).queryKey, created.api_key)
  await queryClient.invalidateQueries({ queryKey: apiKeysQuery(projectId).queryKey })
}
