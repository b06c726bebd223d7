// The tiers of a project as the API lists them, in their order. The key begins with that of the settings draft: a
// rollback replaces both.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { liveMs, settingsQuery } from '../../api/queries.ts'
import { fields, isSettingsField, type SettingsField } from '../settings/fields.ts'

export type Tier = ManagementRoutes['GET /auth/v1/projects/{projectId}/tiers']['output'][number]
export type OverrideField = keyof Tier['overrides'] & SettingsField

const projectOnly: readonly Exclude<SettingsField, OverrideField>[] = ['cors_origins', 'cors_allow_credentials']

export const overrideFields: readonly OverrideField[] = Object.keys(fields).filter(isOverrideField)

function isOverrideField(name: string): name is OverrideField {
  return isSettingsField(name) && !projectOnly.some(one => one === name)
}

/** In the order of the list of fields. */
export function overriddenFields({ overrides }: Pick<Tier, 'overrides'>): OverrideField[] {
  return overrideFields.filter(field => Object.hasOwn(overrides, field))
}

export const tiersQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'tiers'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/tiers', { path: { projectId } }),
    refetchInterval: liveMs,
  })
