// The end users whose requests of the last 24 hours were all rejected or failed: the list of end users has only those
// who got an answer, or are restricted.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../ui/numbers.ts'
import { Awaited, Section } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { hasPage } from '../requests/one-request-actions.tsx'
import { type RequestGroups, requestGroupsQuery } from '../requests/queries.ts'

type Group = RequestGroups['data'][number] & { value: string }

const isOnlyRejected = (group: RequestGroups['data'][number]): group is Group =>
  group.value !== null && hasPage(group.value) && group.errors === group.requests

export function OnlyRejected({ projectId }: { projectId: string }) {
  const groups = useQuery(requestGroupsQuery(projectId, {}, { by: 'uid', order: 'errors' }))
  const rejected = groups.data?.data.filter(isOnlyRejected) ?? []
  if (rejected.length === 0) return <Awaited queries={[groups]} />
  const columns: Column<Group>[] = [
    {
      title: 'User id',
      cell: ({ value: uid }) => (
        <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }} dir="auto">
          {uid}
        </Link>
      ),
    },
    {
      title: 'Rejected or failed requests',
      isNumber: true,
      cell: ({ value: uid, errors }) => (
        <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ uid }}>
          {formatCount(errors)}
        </Link>
      ),
    },
  ]
  return (
    <Section title="Without an answer in the last 24 hours">
      <p className="text-soft">All requests of these users were rejected or failed.</p>
      <Table
        caption="End users without an answer in the last 24 hours"
        columns={columns}
        rows={rejected}
        keyOf={({ value }) => value}
        empty={null}
      />
    </Section>
  )
}
