// Short messages at the edge of the page: confirmations leave by themselves, errors stay until they are dismissed or
// the user moves to another page.
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

interface Toast {
  id: number
  text: string
  isError: boolean
}

interface Toasts {
  show: (text: string) => void
  showError: (text: string) => void
}

const shownMs = 6000
const maxShown = 4
/** Between a control and the toast that would have covered it. */
const gapPx = 8
let lastId = 0

const ToastContext = createContext<Toasts | null>(null)

export function useToast(): Toasts {
  const toasts = useContext(ToastContext)
  if (toasts === null) throw new Error('useToast needs a ToastProvider')
  return toasts
}

interface ToastProviderProps {
  /** The path of the shown page: errors end with it. */
  page: string
  children: ReactNode
}

export function ToastProvider({ page, children }: ToastProviderProps) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const dismiss = useCallback((id: number) => setToasts(shown => shown.filter(toast => toast.id !== id)), [])
  const [known, setKnown] = useState(page)
  if (known !== page) {
    setKnown(page)
    setToasts(shown => shown.filter(({ isError }) => !isError))
  }
  const value = useMemo<Toasts>(() => {
    const add = (text: string, isError: boolean): void => {
      lastId += 1
      const id = lastId
      setToasts(shown => [...shown, { id, text, isError }].slice(-maxShown))
      if (!isError) setTimeout(() => dismiss(id), shownMs)
    }
    return { show: text => add(text, false), showError: text => add(text, true) }
  }, [dismiss])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (toasts.length > 0) uncoverFocus(box.current)
  }, [toasts.length])
  return (
    <ToastContext value={value}>
      {children}
      {/*
        An error stays, and on a phone a toast is as wide as the page: both have a place of their own below the page, so
        that what they cover can be scrolled free.
      */}
      <div
        ref={box}
        className={classNames(
          'pointer-events-none bottom-0 z-40 flex w-[min(26rem,100%)] flex-col gap-2 max-sm:sticky max-sm:ml-auto',
          toasts.some(({ isError }) => isError) ? 'sticky ml-auto p-4' : 'right-0 sm:fixed sm:px-4 sm:pb-4',
          toasts.length > 0 && 'max-sm:p-4',
        )}
      >
        <div role="status" className="contents">
          {toasts
            .filter(({ isError }) => !isError)
            .map(toast => (
              <ToastBox key={toast.id} toast={toast} dismiss={dismiss} />
            ))}
        </div>
        <div role="alert" className="contents">
          {toasts
            .filter(({ isError }) => isError)
            .map(toast => (
              <ToastBox key={toast.id} toast={toast} dismiss={dismiss} />
            ))}
        </div>
      </div>
    </ToastContext>
  )
}

/** The control that the user has just pressed stays in sight. */
function uncoverFocus(toasts: HTMLElement | null): void {
  const pressed = document.activeElement
  if (toasts === null || !pressed?.matches('main :is(a, button, input, select, textarea)')) return
  const [cover, control] = [toasts.getBoundingClientRect(), pressed.getBoundingClientRect()]
  const isBeside = control.right <= cover.left || control.bottom <= cover.top || control.top >= cover.bottom
  if (!isBeside) window.scrollBy(0, control.bottom - cover.top + gapPx)
}

function ToastBox({ toast, dismiss }: { toast: Toast; dismiss: (id: number) => void }) {
  return (
    <div
      className={classNames(
        'flex items-start gap-3 rounded-lg border bg-page p-3 text-sm shadow-lg',
        // On phones a confirmation is as wide as the page: a tap reaches the control below it.
        toast.isError
          ? 'pointer-events-auto border-danger text-danger'
          : 'border-line sm:pointer-events-auto [&>button]:pointer-events-auto',
      )}
    >
      <p dir="auto" className="grow">
        {toast.text}
      </p>
      <button type="button" className="size-6 rounded" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
        ×
      </button>
    </div>
  )
}
