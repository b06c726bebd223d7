// A tenant by its name, or by its id if the name is not at hand; leads to the tenant in the list.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useOperator } from './operator-context.tsx'
import { tenantNamesQuery } from './queries.ts'

export function TenantName({ id }: { id: string }) {
  const names = useQuery(tenantNamesQuery(useOperator()))
  return (
    <Link to="/app/operator" search={{ q: id }} dir="auto">
      {names.data?.get(id) ?? id}
    </Link>
  )
}
