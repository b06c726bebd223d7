// Chooses the period and the end user of the usage screen.
import { Link, useNavigate } from '@tanstack/react-router'
import { lastDays } from '../../api/days.ts'
import { Button, choiceClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { periodOf, readUsageSearch, type UsageSearch } from './usage-search.ts'

const presets = [7, 30, 90]

export function UsageFilters({ projectId, search }: { projectId: string; search: UsageSearch }) {
  const navigate = useNavigate()
  const period = periodOf(search)
  const show = (next: UsageSearch) =>
    navigate({ to: '/app/projects/$projectId/usage', params: { projectId }, search: next })
  const submit = async ({ from = '', to = '', uid = '' }: FormValues): Promise<void> => {
    if (from > to) throw new Error('from must be at or before the last day')
    await show(readUsageSearch({ ...search, from, to, uid: uid.trim() }))
  }
  const { uid, ...withoutUid } = search
  return (
    <div className="flex flex-col gap-3">
      <nav aria-label="Period" className="flex flex-wrap gap-2">
        {presets.map(days => {
          const preset = lastDays(days)
          const isShown = preset.from === period.from && preset.to === period.to
          return (
            <Link
              key={days}
              to="/app/projects/$projectId/usage"
              params={{ projectId }}
              search={{ ...search, ...preset }}
              aria-current={isShown ? 'true' : undefined}
              className={choiceClass}
            >
              Last {days} days
            </Link>
          )
        })}
      </nav>
      <details open={uid !== undefined}>
        <summary className="py-1">
          <span className="font-medium">Period and end user:</span> {period.from} to {period.to},{' '}
          {uid === undefined ? 'all end users' : <bdi>{uid}</bdi>}
        </summary>
        {/* The fields show what the address says, not what was typed before. */}
        <Form
          key={JSON.stringify([period, uid])}
          submit={submit}
          submitLabel="Show"
          secondary={uid !== undefined && <Button onClick={() => void show(withoutUid)}>All end users</Button>}
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField name="from" label="First day (UTC)" type="date" defaultValue={period.from} required />
            <TextField name="to" label="Last day (UTC)" type="date" defaultValue={period.to} required />
          </div>
          <TextField name="uid" label="End user" defaultValue={uid ?? ''} hint="Their id; empty for all." />
        </Form>
      </details>
    </div>
  )
}
