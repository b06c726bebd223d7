// The roles that a tenant makes itself: the rules of their names and permissions, and how they are stored.

import { accept, type Checked, refuse } from '../checked.ts'
import { parseJson } from '../json-object.ts'
import { builtInRoles, isBuiltInRole, type Permission, permissionNames } from './permissions.ts'

export const maxDescription = 500
const nameForm = /^[a-z][a-z0-9-]{0,39}$/

export function checkRoleName(value: unknown): Checked<string> {
  if (typeof value !== 'string' || !nameForm.test(value)) {
    return refuse('name must begin with a letter and have at most 40 of: a-z, 0-9, -')
  }
  return isBuiltInRole(value) ? refuse(`name must not be ${value}, which every tenant has`) : accept(value)
}

/** Sorted as in the table, each once. */
export function checkPermissions(value: unknown): Checked<Permission[]> {
  if (!Array.isArray(value) || value.length === 0)
    return refuse('permissions must be a list of at least one permission')
  const unknown = value.findIndex(one => !permissionNames.includes(one))
  if (unknown !== -1) return refuse(`permissions.${unknown} must be one of: ${permissionNames.join(', ')}`)
  return accept(permissionNames.filter(name => value.includes(name)))
}

/** Leaves out what this version does not know, so that an older replica reads what a newer one wrote. */
export function readPermissions(stored: string): Permission[] {
  const names = parseJson(stored)
  return Array.isArray(names) ? permissionNames.filter(name => names.includes(name)) : []
}

/** The permissions of a member by the role and, if the role is the tenant's own, its row. */
export function permissionsOf(role: string, stored: string | null): readonly Permission[] {
  if (isBuiltInRole(role)) return builtInRoles[role]
  return stored === null ? [] : readPermissions(stored)
}
