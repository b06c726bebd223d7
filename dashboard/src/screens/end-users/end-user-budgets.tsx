// The budgets of an end user, beside those of the project and the user's tier.
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/states.tsx'
import { BudgetsForm } from '../budgets/budgets-form.tsx'
import { endUserBudgetsQuery, putEndUserBudgets } from '../budgets/queries.ts'

interface EndUserBudgetsProps {
  projectId: string
  uid: string
  mayWrite: boolean
}

export function EndUserBudgets({ projectId, uid, mayWrite }: EndUserBudgetsProps) {
  const budgets = useQuery(endUserBudgetsQuery(projectId, uid))
  return (
    <Loaded query={budgets} what="the budgets">
      {data => (
        <>
          <p className="max-w-2xl text-soft">
            They are in force beside the budgets of the project and of the user’s tier.{' '}
            <a href="/docs/money#budgets">About budgets</a>
          </p>
          <BudgetsForm
            budgets={data}
            mayWrite={mayWrite}
            save={changed => putEndUserBudgets(projectId, uid, changed)}
          />
        </>
      )}
    </Loaded>
  )
}
