// What was spent of budgets, and the amounts: to edit, for those who may.
import { Button } from '../../ui/button.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { Form } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useEdits } from '../../ui/use-edits.ts'
import { BudgetFields } from './budget-fields.tsx'
import { type Budget, fromBudgetTexts, toBudgetTexts } from './budget-values.ts'
import type { SpentBudgets } from './queries.ts'
import { Spending } from './spending.tsx'

interface BudgetsFormProps {
  budgets: SpentBudgets
  mayWrite: boolean
  /** Returns when `budgets` are the saved ones. */
  save: (budgets: Budget[]) => Promise<void>
}

export function BudgetsForm({ budgets, mayWrite, save }: BudgetsFormProps) {
  const toast = useToast()
  const saved = toBudgetTexts(budgets.budgets)
  const edits = useEdits(saved)
  const texts = { ...saved, ...edits.values }
  const submit = async (): Promise<void> => {
    await save(fromBudgetTexts(texts))
    edits.forget(texts)
    toast.show('The budgets are saved. They are in force within a second.')
  }
  return (
    <>
      <Spending budgets={budgets} />
      {mayWrite && (
        <Form
          submit={submit}
          submitLabel="Save budgets"
          isDisabled={!edits.isChanged}
          secondary={edits.isChanged && <Button onClick={edits.undo}>Undo edits: Budgets</Button>}
        >
          <UnsavedEdits areThere={edits.isChanged} />
          <BudgetFields texts={texts} edit={edits.edit} />
          <p className="text-sm text-soft">
            An empty field is no budget. Once a budget is used up, requests get the error{' '}
            <code>insufficient_quota</code> until the period ends.
          </p>
        </Form>
      )}
    </>
  )
}
