// The amounts of the budgets of a day and of a month.
import { TextField } from '../../ui/fields.tsx'
import { type BudgetTexts, budgetPeriods, controlOfBudget } from './budget-values.ts'

interface BudgetFieldsProps {
  texts: BudgetTexts
  edit: (changes: Partial<BudgetTexts>) => void
}

export function BudgetFields({ texts, edit }: BudgetFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {budgetPeriods.map(period => (
        <TextField
          key={period}
          name={controlOfBudget(period)}
          label={`Budget of a ${period} (USD)`}
          inputMode="decimal"
          autoComplete="off"
          value={texts[period]}
          onValue={usd => edit({ [period]: usd })}
        />
      ))}
    </div>
  )
}
