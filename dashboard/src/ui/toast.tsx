// Short messages at the edge of the page: confirmations leave by themselves, errors stay until they are dismissed or
// the user moves to another page.
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
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
  return (
    <ToastContext value={value}>
      {children}
      {/* An error stays, so it has a place of its own below the page: what it covers can be scrolled free. */}
      <div
        className={classNames(
          'pointer-events-none bottom-0 z-40 flex w-[min(26rem,100%)] flex-col gap-2',
          toasts.some(({ isError }) => isError) ? 'sticky ml-auto p-4' : 'fixed right-0 px-4 pb-4',
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
