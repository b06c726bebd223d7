// Chooses which requests the screen shows; the choice is in the address.
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { DayFields } from '../events/day-fields.tsx'
import { type RequestFilter, readRequestFilter } from './filter.ts'

const from = '/app/projects/$projectId/requests'

const statuses = { '': 'All', '2xx': 'Answered (2xx)', '4xx': 'Refused (4xx)', '5xx': 'Failed (5xx)' }

export function RequestFilters({ filter }: { filter: RequestFilter }) {
  const navigate = useNavigate({ from })
  const show = (next: Record<string, unknown>) => navigate({ search: readRequestFilter(next), replace: true })
  const change = (changed: Record<string, string>) => void show({ ...filter, ...changed })
  const submit = async (values: FormValues): Promise<void> => {
    await show({ ...filter, ...values })
  }
  const isFiltered = Object.keys(filter).length > 0
  return (
    <search className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-4">
        <SelectField name="status" label="Status" value={filter.status ?? ''} onValue={status => change({ status })}>
          {Object.entries(statuses).map(([status, name]) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </SelectField>
        <DayFields days={filter} change={change} />
        {isFiltered && <Button onClick={() => void show({})}>Clear the filters</Button>}
      </div>
      <details open={Object.keys(filter).some(name => !['status', 'from', 'to'].includes(name))}>
        <summary className="py-1 font-medium">More filters</summary>
        {/* The fields show what the address says, whatever was typed before. */}
        <Form key={JSON.stringify(filter)} submit={submit} submitLabel="Show">
          <div className="grid gap-4 sm:grid-cols-3">
            <TextField name="uid" label="End user" defaultValue={filter.uid ?? ''} />
            <TextField name="model" label="Model" defaultValue={filter.model ?? ''} />
            <TextField name="provider" label="Provider" defaultValue={filter.provider ?? ''} />
            <TextField name="error" label="Code of the error" defaultValue={filter.error ?? ''} hint="any: all." />
            <TextField name="endpoint" label="Endpoint" defaultValue={filter.endpoint ?? ''} />
            <TextField name="prompt" label="Prompt" defaultValue={filter.prompt ?? ''} />
            <TextField
              name="guardrail"
              label="Guardrail"
              defaultValue={filter.guardrail ?? ''}
              hint="Such as blocked."
            />
            <TextField name="tier" label="Tier" defaultValue={filter.tier ?? ''} />
            <TextField name="thread" label="Thread" defaultValue={filter.thread ?? ''} />
            <TextField name="q" label="Request ID" defaultValue={filter.q ?? ''} hint="Or how it begins." />
            <TextField
              name="min_latency_ms"
              label="Took at least (ms)"
              inputMode="numeric"
              defaultValue={filter.min_latency_ms ?? ''}
            />
            <TextField
              name="min_cost_usd"
              label="Cost at least (USD)"
              inputMode="decimal"
              defaultValue={filter.min_cost_usd ?? ''}
            />
          </div>
        </Form>
      </details>
    </search>
  )
}
