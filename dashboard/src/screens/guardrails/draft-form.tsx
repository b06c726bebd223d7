// A form over a part of the draft. Who may not write sees the same fields, disabled.
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Edits } from '../../ui/use-edits.ts'

interface DraftFormProps {
  edits: Edits
  mayWrite: boolean
  save: (values: FormValues) => Promise<unknown>
  submitLabel: string
  children: ReactNode
}

export function DraftForm({ edits, mayWrite, save, submitLabel, children }: DraftFormProps) {
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
    <Form
      submit={submit}
      submitLabel={submitLabel}
      isDisabled={!edits.isChanged}
      secondary={edits.isChanged && <Button onClick={edits.undo}>Undo</Button>}
    >
      <UnsavedEdits areThere={edits.isChanged} />
      {children}
    </Form>
  )
}
