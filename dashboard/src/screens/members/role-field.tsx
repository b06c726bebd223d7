// The choice of a role, with what each role may do.
import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../ui/fields.tsx'
import { rolesQuery } from './queries.ts'

const builtIn: Record<string, string> = {
  viewer: 'viewer: reads',
  member: 'member: also changes projects, settings and keys',
  owner: 'owner: also manages members and deletes projects and the tenant',
}

interface RoleFieldProps {
  tenantId: string
  current: string
  onValue?: (role: string) => void
}

export function RoleField({ tenantId, current, onValue }: RoleFieldProps) {
  const { data: roles = [] } = useQuery(rolesQuery(tenantId))
  const own = roles.filter(role => !role.built_in).map(({ name }) => name)
  // The list may not be there yet.
  const names = new Set([...Object.keys(builtIn), current, ...own])
  return (
    <SelectField name="role" label="Role" defaultValue={current} onValue={value => onValue?.(readRole(value))}>
      {[...names].map(name => (
        <option key={name} value={name}>
          {builtIn[name] ?? name}
        </option>
      ))}
    </SelectField>
  )
}

export function readRole(value: string | undefined): string {
  return value ?? 'viewer'
}
