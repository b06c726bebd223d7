// Asks before the user leaves a screen with edits that are not saved, and tells the rest of the page of them.
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

interface UnsavedEditsProps {
  areThere: boolean
  /** What is edited, such as the titles of forms. */
  names?: readonly string[]
}

interface Unsaved {
  areThere: boolean
  /** Joined with commas; empty if they have no names. */
  names: string
}

const none: Unsaved = { areThere: false, names: '' }
let unsaved = none
const listeners = new Set<() => void>()

function tell(next: Unsaved): void {
  unsaved = next
  for (const listener of listeners) listener()
}

/** Of the screen that is shown. */
export function useUnsavedEdits(): Unsaved {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => unsaved,
  )
}

export function UnsavedEdits({ areThere, names = [] }: UnsavedEditsProps) {
  const joined = names.join(', ')
  useEffect(() => {
    if (!areThere) return
    tell({ areThere, names: joined })
    return () => tell(none)
  }, [areThere, joined])
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
