// Text to copy: a value or a block of code with a button. Without access to the clipboard it selects the text.
import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Scrollable } from './scrollable.tsx'

interface CopyableProps {
  /** What is copied, such as `API key`. */
  label: string
  text: string
}

export function Copyable({ label, text }: CopyableProps) {
  const shown = useRef<HTMLPreElement>(null)
  const [notice, setNotice] = useState('')
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
    <div className="flex flex-col gap-2 rounded-md border border-line bg-raised p-3">
      <Scrollable label={label} className="max-h-96 overflow-auto">
        <pre ref={shown} className="font-mono text-sm whitespace-pre">
          {text}
        </pre>
      </Scrollable>
      <div className="flex items-center gap-3">
        <Button aria-label={`Copy ${label}`} onClick={() => void copy()}>
          Copy
        </Button>
        <span role="status" className="text-sm text-soft">
          {notice}
        </span>
      </div>
    </div>
  )
}
