// Who belongs to a tenant.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { formatCountOf } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { membersQuery } from '../members/queries.ts'

const maxShown = 6

export function TenantPeople({ tenantId }: { tenantId: string }) {
  const members = useQuery(membersQuery(tenantId))
  return (
    <Card
      title="Members"
      aside={
        <Link to="/app/tenants/$tenantId/members" params={{ tenantId }}>
          All members
        </Link>
      }
    >
      <Loaded query={members} what="the members">
        {data => (
          <>
            <ul className="flex flex-col gap-2">
              {data.slice(0, maxShown).map(({ id, email, role }) => (
                <li key={id} className="flex flex-wrap justify-between gap-x-4">
                  <bdi>{email}</bdi>
                  <span className="text-soft">{role}</span>
                </li>
              ))}
            </ul>
            {data.length > maxShown && (
              <p className="text-soft">And {formatCountOf(data.length - maxShown, 'other')}.</p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
