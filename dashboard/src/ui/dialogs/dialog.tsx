// A modal dialog: the browser's own, which keeps the focus inside, closes on Escape and returns the focus.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { classNames } from '../class-names.ts'

const looks = {
  plain: 'm-auto w-[min(36rem,calc(100vw-2rem))] p-5',
  wide: 'm-auto w-[min(56rem,calc(100vw-2rem))] p-5',
  menu: 'mx-auto mt-[10vh] w-[min(40rem,calc(100vw-2rem))]',
}

interface DialogProps {
  title: string
  /** Called on Escape, too. Without it the dialog can be left only by what is inside. */
  onClose?: () => void
  /** A menu stands high on the page, and only screen readers read its title. */
  look?: keyof typeof looks
  children: ReactNode
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, look = 'plain', children }: DialogProps) {
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
      className={classNames('rounded-xl border border-line bg-page text-ink shadow-xl', looks[look])}
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
      <h2 id={titleId} className={look === 'menu' ? 'sr-only' : 'mb-3 text-lg font-semibold'}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
