// What was spent of the deployed budgets of a project; its settings change them.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Awaited, Section } from '../../ui/page.tsx'
import { projectBudgetsQuery } from './queries.ts'
import { Spending } from './spending.tsx'

/** Empty without budgets. */
export function ProjectBudgets({ projectId }: { projectId: string }) {
  const budgets = useQuery(projectBudgetsQuery(projectId))
  const { data } = budgets
  if (data === undefined || data.budgets.length === 0) return <Awaited queries={[budgets]} />
  return (
    <Section title="Budgets of the project">
      <Spending budgets={data} />
      <p className="text-sm text-soft">
        These budgets are live.{' '}
        <Link to="/app/projects/$projectId/settings" params={{ projectId }} hash="budgets">
          Change them in the settings
        </Link>
      </p>
    </Section>
  )
}
