// Text to copy: a value or a block of code with a button. Without access to the clipboard it selects the text.
import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Scrollable } from './scrollable.tsx'

interface CopyableProps {
  /** What is copied, such as `API key`. */
  label: string
  text: string
  /** Wraps lines that are too long, as prose is read; code scrolls sideways, and one line is always whole. */
  isProse?: boolean
}

export function Copyable({ label, text, isProse = false }: CopyableProps) {
  const shown = useRef<HTMLPreElement>(null)
  const [notice, setNotice] = useState('')
  const isLine = !text.includes('\n')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setNotice('Copied')
    } catch {
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current)
      setNotice('Selected: press Ctrl+C or ⌘C to copy')
    }
  }
  return (
    <div
      className={classNames(
        'flex justify-between gap-2 rounded-lg border border-line bg-raised p-3',
        !isLine || isProse ? 'items-start max-sm:flex-col' : 'flex-wrap items-center',
      )}
    >
      <Scrollable label={label} className="max-h-96 min-w-0 max-w-full overflow-auto">
        <pre
          ref={shown}
          className={classNames(
            'font-mono text-sm',
            isProse || isLine ? 'whitespace-pre-wrap' : 'whitespace-pre',
            isLine && 'break-all',
          )}
        >
          {text}
        </pre>
      </Scrollable>
      <div className="flex shrink-0 flex-row-reverse items-center gap-3 max-sm:flex-row">
        <Button onClick={() => void copy()}>Copy {label}</Button>
        <span role="status" className="text-sm text-soft">
          {notice}
        </span>
      </div>
    </div>
  )
}
