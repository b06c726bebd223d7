// Asks before something breaks: says what will happen, can demand that a name is typed, and shows the error if it
// fails.
import { useLocation } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { Button } from '../button.tsx'
import { TextField } from '../fields.tsx'
import { Form } from '../form.tsx'
import { Dialog } from './dialog.tsx'

export interface Confirmation {
  title: string
  /** What will happen, and what will stop working. */
  body: ReactNode
  /** The verb of the button, such as `Delete project`. */
  action: string
  /** Must be typed before the action can run. */
  typed?: { label: string; text: string }
  run: () => Promise<unknown>
}

type Confirm = (confirmation: Confirmation) => void

const ConfirmContext = createContext<Confirm | null>(null)

/** Returns a function that opens the dialog. */
export function useConfirm(): Confirm {
  const confirm = useContext(ConfirmContext)
  if (confirm === null) throw new Error('useConfirm needs a ConfirmProvider')
  return confirm
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Confirmation | null>(null)
  const { pathname } = useLocation()
  const [askedAt, setAskedAt] = useState(pathname)
  if (askedAt !== pathname) {
    // The browser's Back left the screen that asked.
    setAskedAt(pathname)
    setOpen(null)
  }
  // An action that ends after its dialog was left does not close the next dialog.
  const close = (closed: Confirmation) => setOpen(shown => (shown === closed ? null : shown))
  return (
    <ConfirmContext value={setOpen}>
      {children}
      {open !== null && <ConfirmDialog confirmation={open} close={() => close(open)} />}
    </ConfirmContext>
  )
}

function ConfirmDialog({ confirmation, close }: { confirmation: Confirmation; close: () => void }) {
  const { title, body, action, typed, run } = confirmation
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text === typed.text
  const submit = async (): Promise<void> => {
    await run()
    close()
  }
  return (
    <Dialog title={title} onClose={close}>
      <div className="mb-4 flex flex-col gap-2">{body}</div>
      <Form
        submit={submit}
        submitLabel={action}
        look="destroy"
        isDisabled={!isTyped}
        secondary={
          <Button autoFocus={typed === undefined} onClick={close}>
            Cancel
          </Button>
        }
      >
        {typed !== undefined && (
          <TextField name="confirmation" label={typed.label} autoComplete="off" onValue={setText} autoFocus />
        )}
      </Form>
    </Dialog>
  )
}
