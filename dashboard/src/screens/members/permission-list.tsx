// The permissions of a role or a program as sentences, folded together if there are many.
import { formatCountOf } from '../../ui/numbers.ts'
import { wordsOf } from './permission-words.ts'

const maxUnfolded = 2

export function PermissionList({ permissions }: { permissions: readonly string[] }) {
  const list = (
    <ul className="list-disc pl-4">
      {permissions.map(permission => (
        <li key={permission}>{wordsOf(permission)}</li>
      ))}
    </ul>
  )
  if (permissions.length <= maxUnfolded) return list
  return (
    <details>
      <summary>{formatCountOf(permissions.length, 'permission')}</summary>
      {list}
    </details>
  )
}
