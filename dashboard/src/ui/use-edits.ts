// What is changed in a form and not saved yet, over the saved values: the fields that nobody touched here follow
// what others save.
import { useState } from 'react'

export function useEdits(saved: Record<string, string>) {
  const [edits, setEdits] = useState<Record<string, string>>({})
  return {
    values: { ...saved, ...edits },
    isChanged: Object.entries(edits).some(([name, value]) => saved[name] !== value),
    edit: (changes: Record<string, string>) => setEdits(before => ({ ...before, ...changes })),
    undo: () => setEdits({}),
    /** What was typed after it was sent stays an edit. */
    forget: (sent: Record<string, string>) =>
      setEdits(now => Object.fromEntries(Object.entries(now).filter(([name, value]) => sent[name] !== value))),
  }
}

export type Edits = ReturnType<typeof useEdits>
