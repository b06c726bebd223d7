// A form over a part of the draft, which the bar of the draft saves. Who may not write sees the same fields, disabled.
import { type ReactNode, useId } from 'react'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Edits } from '../../ui/use-edits.ts'

interface DraftFormProps {
  edits: Edits
  mayWrite: boolean
  save: (values: FormValues) => Promise<unknown>
  /** What it edits. */
  name: string
  children: ReactNode
}

export function DraftForm({ edits, mayWrite, save, name, children }: DraftFormProps) {
  const formId = useId()
  const toast = useToast()
  const submit = async (values: FormValues): Promise<void> => {
    await save(values)
    edits.forget(edits.values)
    toast.show('Saved in the draft. It is not deployed yet.')
  }
  if (!mayWrite) {
    return (
      <fieldset disabled className="flex max-w-xl flex-col gap-4">
        {children}
      </fieldset>
    )
  }
  return (
    <Form id={formId} submit={submit} undo={edits.undo}>
      <UnsavedEdits areThere={edits.isChanged} names={[name]} formId={formId} />
      {children}
    </Form>
  )
}
