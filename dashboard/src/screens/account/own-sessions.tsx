// Lists the user's open sessions, and ends one, all others, or all.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { ownSessionsQuery, queryClient } from '../../api/queries.ts'
import { signOut } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { describeBrowser } from './describe-browser.ts'

type OpenSession = ManagementRoutes['GET /auth/v1/users/current/sessions']['output'][number]

const refresh = () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey })

/** How each session began. */
const howNames: Record<string, string> = {
  password: 'Password',
  invitation: 'Invitation',
  reset_link: 'Reset link',
  totp: 'Password and code',
  backup_code: 'Password and backup code',
  passkey: 'Passkey',
}

const columns: Column<OpenSession>[] = [
  { title: 'Browser', cell: session => <bdi>{describeBrowser(session.user_agent)}</bdi> },
  { title: 'Address', cell: session => session.address ?? 'Unknown' },
  { title: 'Signed in', cell: session => <Time iso={session.created_at} /> },
  { title: 'With', cell: session => howNames[session.authenticated_by ?? ''] ?? 'Unknown' },
  { title: 'Last used', cell: session => <Time iso={session.last_seen_at} /> },
  { title: 'Actions', cell: session => (session.current ? 'This session' : <EndButton id={session.id} />) },
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
          <div className="flex flex-wrap gap-3 empty:hidden">
            {data.some(({ current }) => !current) && <EndOthers />}
            {/* Sessions of an external provider end there. */}
            {data.some(({ current }) => current) && <EndAll />}
          </div>
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
  return <Button onClick={ask}>Sign out everywhere else</Button>
}

function EndAll() {
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: 'Sign out everywhere?',
      body: <p>All your sessions end at once, this one too. Then you can sign in again.</p>,
      action: 'Sign out everywhere',
      run: async () => {
        // The own session is the last: without it the others could not be ended.
        await request('DELETE', '/auth/v1/users/current/sessions')
        await signOut()
      },
    })
  return <Button onClick={ask}>Sign out everywhere</Button>
}
