// Shows the screens to a signed-in user inside the page frame, and the sign-in form to everybody else. The address
// stays, so a deep link leads to its screen after the sign-in.
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { newSignIn } from '../api/ask-user.ts'
import { sessionQuery } from '../api/queries.ts'
import { ExpiredSessionDialog } from '../screens/sign-in/expired-session-dialog.tsx'
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx'
import { StepUp } from '../screens/sign-in/step-up-dialog.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { PageFrame } from './page-frame.tsx'

export function SignedIn() {
  const session = useQuery(sessionQuery)
  const isExpired = useSyncExternalStore(newSignIn.subscribe, newSignIn.isAsked)
  if (session.data === undefined) {
    return (
      <main className="p-6">
        {session.isError ? (
          <Failure error={session.error} retry={() => void session.refetch()} />
        ) : (
          <Loading what="your session" />
        )}
      </main>
    )
  }
  if (session.data === null) return <SignInScreen />
  return (
    <>
      <ReloadForAnotherUser id={session.data.id} />
      <PageFrame user={session.data}>
        <Outlet />
      </PageFrame>
      <StepUp />
      {isExpired && <ExpiredSessionDialog {...session.data} />}
    </>
  )
}

/** If somebody else signs in in another tab, nothing that was read for the first user stays in the page. */
function ReloadForAnotherUser({ id }: { id: string }) {
  const first = useRef(id)
  useEffect(() => {
    if (first.current !== id) location.reload()
  }, [id])
  return null
}
