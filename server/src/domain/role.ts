// The roles that an API key and a token may carry. None of them opens a management or admin route.

import { accept, type Checked, refuse } from './checked.ts'

export const roles = ['user', 'dashboard-service', 'admin'] as const
export type Role = (typeof roles)[number]

export function checkRole(value: unknown): Checked<Role> {
  const role = roles.find(known => known === value)
  return role === undefined ? refuse(`role is not a permitted role. Allowed: ${roles.join(', ')}`) : accept(role)
}
