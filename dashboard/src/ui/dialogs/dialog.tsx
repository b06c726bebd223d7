// A modal dialog: the browser's own, which keeps the focus inside, closes on Escape and returns the focus.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  title: string
  /** Called on Escape, too. Without it the dialog can be left only by what is inside. */
  onClose?: () => void
  children: ReactNode
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className="m-auto w-[min(36rem,calc(100vw-2rem))] rounded-lg border border-line bg-page p-6 text-ink shadow-xl"
      onCancel={event => {
        // React decides when the dialog closes. A file input inside sends the same event.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose?.()
      }}
      onKeyDown={event => {
        // Chromium closes a dialog at the second Escape, whatever `cancel` says.
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={titleId} className="mb-3 text-xl font-semibold">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
