// The roles that an API key and a token may have. None of them gives access to a management or admin route.

import type { Role } from '../../../sdk/src/wire.ts'
import { accept, type Checked, refuse } from './checked.ts'

export type { Role }

/** A record, so that the compiler reports a role that is missing here. */
const known: Record<Role, true> = { user: true, 'dashboard-service': true, admin: true }
export const roles = Object.keys(known) as readonly Role[]

export function checkRole(value: unknown): Checked<Role> {
  const role = roles.find(one => one === value)
  return role === undefined ? refuse(`role is not a permitted role. Allowed: ${roles.join(', ')}`) : accept(role)
}
