// Asks before the user leaves a screen with edits that are not saved, and makes them known to the rest of the page.
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useId, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

interface UnsavedEditsProps {
  areThere: boolean
  /** What is edited, such as the titles of forms. */
  names?: readonly string[]
  /** Of the form, if the bar of the draft saves it. */
  formId?: string
}

export interface Edited {
  areThere: boolean
  /** Joined with commas; empty if they have no names. */
  names: string
  formId: string | undefined
}

const known = new Map<string, Edited>()
let all: readonly Edited[] = []
const listeners = new Set<() => void>()

function report(key: string, edited: Edited | null): void {
  if (edited === null) known.delete(key)
  else known.set(key, edited)
  all = [...known.values()]
  for (const listener of listeners) listener()
}

/** The forms on the screen that is shown, edited or not. */
export function useEditedForms(): readonly Edited[] {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => all,
  )
}

/** Saves the forms with these ids. */
export function submitForms(formIds: readonly string[]): void {
  for (const form of formsOf(formIds)) form.requestSubmit()
}

export function formsOf(formIds: readonly string[]): HTMLFormElement[] {
  return formIds.flatMap(id => document.querySelector<HTMLFormElement>(`form[id="${id}"]`) ?? [])
}

export function UnsavedEdits({ areThere, names = [], formId }: UnsavedEditsProps) {
  const key = useId()
  const joined = names.join(', ')
  useEffect(() => {
    report(key, { areThere, names: joined, formId })
    return () => report(key, null)
  }, [key, areThere, joined, formId])
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
