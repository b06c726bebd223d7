// The choice of a role, with what each role may do.
import type { TenantRole } from '../../api/session.ts'
import { SelectField } from '../../ui/fields.tsx'

const roles: Record<TenantRole, string> = {
  viewer: 'viewer: reads',
  member: 'member: also changes projects, settings and keys',
  owner: 'owner: also manages members and deletes projects and the tenant',
}
const names = Object.keys(roles) as TenantRole[]

interface RoleFieldProps {
  current: TenantRole
  onValue?: (role: TenantRole) => void
}

export function RoleField({ current, onValue }: RoleFieldProps) {
  return (
    <SelectField name="role" label="Role" defaultValue={current} onValue={value => onValue?.(readRole(value))}>
      {names.map(name => (
        <option key={name} value={name}>
          {roles[name]}
        </option>
      ))}
    </SelectField>
  )
}

export function readRole(value: string | undefined): TenantRole {
  return names.find(name => name === value) ?? 'viewer'
}
