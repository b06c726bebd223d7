// The amounts of the budgets of a day and of a month.
import { TextField } from '../../ui/fields.tsx'
import { type BudgetPeriod, type BudgetTexts, budgetPeriods, controlOfBudget } from './budget-values.ts'

interface BudgetFieldsProps {
  texts: BudgetTexts
  edit: (changes: Partial<BudgetTexts>) => void
}

const labels: Record<BudgetPeriod, string> = { day: 'Daily budget (USD)', month: 'Monthly budget (USD)' }

export function BudgetFields({ texts, edit }: BudgetFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {budgetPeriods.map(period => (
        <TextField
          key={period}
          name={controlOfBudget(period)}
          label={labels[period]}
          inputMode="decimal"
          autoComplete="off"
          value={texts[period]}
          onValue={usd => edit({ [period]: usd })}
        />
      ))}
    </div>
  )
}
