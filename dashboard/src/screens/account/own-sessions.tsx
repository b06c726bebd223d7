// Lists the user's open sessions, and ends one or all others.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { ownSessionsQuery, queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { describeBrowser } from './describe-browser.ts'

type OpenSession = ManagementRoutes['GET /auth/v1/users/current/sessions']['output'][number]

const refresh = () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey })

const columns: Column<OpenSession>[] = [
  { title: 'Browser', cell: session => <bdi>{describeBrowser(session.user_agent)}</bdi> },
  { title: 'Address', cell: session => session.address ?? 'Unknown' },
  { title: 'Signed in', cell: session => <Time iso={session.created_at} /> },
  { title: 'Last used', cell: session => <Time iso={session.last_seen_at} /> },
  { title: 'Action', cell: session => (session.current ? 'This session' : <EndButton id={session.id} />) },
]

export function OwnSessions() {
  const sessions = useQuery(ownSessionsQuery)
  return (
    <Loaded query={sessions} what="your sessions">
      {data => (
        <>
          <Table
            caption="Your open sessions"
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={<p>You signed in through an external provider, whose sessions are not listed here.</p>}
          />
          {data.some(({ current }) => !current) && <EndOthers />}
        </>
      )}
    </Loaded>
  )
}

function EndButton({ id }: { id: string }) {
  const toast = useToast()
  const end = async (): Promise<void> => {
    await request('DELETE', '/auth/v1/users/current/sessions/{sessionId}', { path: { sessionId: id } })
    await refresh()
    toast.show('The session is ended.')
  }
  return <ActionButton run={end}>End</ActionButton>
}

function EndOthers() {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Sign out everywhere else?',
      body: <p>All your other sessions end at once. You stay signed in here.</p>,
      action: 'Sign out everywhere else',
      run: async () => {
        await request('DELETE', '/auth/v1/users/current/sessions')
        await refresh()
        toast.show('All your other sessions ended.')
      },
    })
  return (
    <p>
      <Button onClick={ask}>Sign out everywhere else</Button>
    </p>
  )
}
