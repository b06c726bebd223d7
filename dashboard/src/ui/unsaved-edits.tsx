// Asks before the user leaves a screen with edits that are not saved.
import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialogs/dialog.tsx'

export function UnsavedEdits({ areThere }: { areThere: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => areThere && current.pathname !== next.pathname,
    enableBeforeUnload: areThere,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p className="mb-4">Your edits on this screen are not saved, and will be lost.</p>
      <div className="flex flex-wrap gap-3">
        <Button look="destroy" onClick={blocker.proceed}>
          Leave
        </Button>
        <Button autoFocus onClick={blocker.reset}>
          Stay
        </Button>
      </div>
    </Dialog>
  )
}
