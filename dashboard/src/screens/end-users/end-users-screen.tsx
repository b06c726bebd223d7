// The end users of a project: who they are, what they used today, who is restricted.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries.ts'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { OnlyRejected } from './only-rejected.tsx'
import { type EndUser, endUsersQuery } from './queries.ts'
import { Restrictions } from './restrictions.tsx'

const from = '/app/projects/$projectId/end-users'

export function EndUsersScreen() {
  const { projectId } = useParams({ from })
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const users = useQuery(endUsersQuery(projectId, search))
  const project = useQuery(projectQuery(projectId))
  const changes = useLastChanges({
    tenantId: project.data?.tenant_id ?? '',
    projectId,
    actions: ['end_user.block', 'end_user.unblock', 'end_user.revoke_tokens'],
    rows: users.data?.data ?? [],
    idOf: ({ uid }) => uid,
  })
  const { q = '' } = search
  return (
    <Page
      title="End users"
      lead={
        <>
          Who uses your application, how much today, and who is restricted.{' '}
          <a href="/docs/end-users">About end users</a>
        </>
      }
    >
      <SearchedList
        label="Search users by id"
        caption="End users"
        query={users}
        search={search}
        show={next => void navigate({ search: next })}
        columns={[...columnsOf(projectId), ...changes]}
        keyOf={({ uid }) => uid}
        empty={isSearch => <NoUsers isSearch={isSearch} />}
        below={rows => q !== '' && !rows.some(({ uid }) => uid === q) && <Unlisted projectId={projectId} uid={q} />}
      />
      <OnlyRejected projectId={projectId} />
    </Page>
  )
}

function columnsOf(projectId: string): Column<EndUser>[] {
  return [
    {
      title: 'User id',
      cell: ({ uid }) => (
        <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }} dir="auto">
          {uid}
        </Link>
      ),
    },
    { title: 'State', cell: user => <Restrictions user={user} /> },
    { title: 'Requests today', isNumber: true, cell: ({ requests_today }) => formatCount(requests_today) },
    { title: 'Tokens today', isNumber: true, cell: ({ tokens_today }) => formatCount(tokens_today) },
    { title: 'Last seen', cell: ({ last_seen_at }) => <Time iso={last_seen_at} /> },
  ]
}

function NoUsers({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <Empty title="Nobody found">No id of an end user contains this text.</Empty>
  return (
    <Empty title="No end users yet">
      A user appears here with the first answer. <a href="/docs/start">Get the first answer</a>
    </Empty>
  )
}

/** Somebody can be blocked before they were seen. */
function Unlisted({ projectId, uid }: { projectId: string; uid: string }) {
  return (
    <p>
      <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }}>
        Open the user with exactly this id
      </Link>
      , for example to block them before their first request.
    </p>
  )
}
