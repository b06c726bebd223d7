// An API key as the API lists it, and its roles.
import type { ManagementRoutes } from '@sallyport/sdk'

export type ApiKey = ManagementRoutes['GET /auth/v1/projects/{projectId}/api-keys']['output'][number]

export const nameOfKey = ({ name, hint }: ApiKey): string => name ?? `…${hint}`

const roles = ['user', 'dashboard-service', 'admin'] as const
type Role = (typeof roles)[number]

/** The least of them for another text. */
export const readRole = (role: string | undefined): Role => roles.find(one => one === role) ?? 'user'
