// Chooses which requests the screen shows; the choice is in the address.
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { DayFields } from '../events/day-fields.tsx'
import { filterNames, type RequestFilter } from './filter.ts'
import { chartNames, useRequestSearch } from './search.ts'

const statuses = { '': 'All', '2xx': 'Answered (2xx)', '4xx': 'Rejected (4xx)', '5xx': 'Failed (5xx)' }

export function RequestFilters() {
  const { search, filter, change } = useRequestSearch()
  const submit = (values: FormValues): Promise<void> => change(values)
  return (
    <search>
      <div className="flex flex-wrap items-end gap-4">
        <SelectField
          name="status"
          label="Status"
          value={filter.status ?? ''}
          onValue={status => void change({ status })}
        >
          {Object.entries(statuses).map(([status, name]) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </SelectField>
        <DayFields days={filter} change={days => void change(days)} />
        <SelectField
          name="chart"
          label="Chart of"
          value={search.chart ?? 'requests'}
          onValue={chart => void change({ chart })}
        >
          {Object.entries(chartNames).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </SelectField>
        <details className="open:basis-full">
          <summary className="py-1.5 font-medium">More filters</summary>
          {/* The fields show what the address says, not what was typed before. */}
          <Form key={JSON.stringify(filter)} submit={submit} submitLabel="Show">
            <MoreFields filter={filter} />
          </Form>
        </details>
      </div>
    </search>
  )
}

function MoreFields({ filter }: { filter: RequestFilter }) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField name="uid" label={filterNames.uid} defaultValue={filter.uid ?? ''} />
      <TextField name="model" label={filterNames.model} defaultValue={filter.model ?? ''} />
      <TextField name="provider" label={filterNames.provider} defaultValue={filter.provider ?? ''} />
      <TextField name="error" label={filterNames.error} defaultValue={filter.error ?? ''} hint="any: all." />
      <TextField name="endpoint" label={filterNames.endpoint} defaultValue={filter.endpoint ?? ''} />
      <TextField name="prompt" label={filterNames.prompt} defaultValue={filter.prompt ?? ''} />
      <TextField
        name="guardrail"
        label={filterNames.guardrail}
        defaultValue={filter.guardrail ?? ''}
        hint="Such as blocked."
      />
      <TextField name="tier" label={filterNames.tier} defaultValue={filter.tier ?? ''} />
      <TextField name="thread" label={filterNames.thread} defaultValue={filter.thread ?? ''} />
      <TextField
        name="agent_session"
        label={filterNames.agent_session}
        defaultValue={filter.agent_session ?? ''}
        hint="As Claude Code sends it."
      />
      <TextField name="agent" label={filterNames.agent} defaultValue={filter.agent ?? ''} />
      <TextField name="q" label={filterNames.q} defaultValue={filter.q ?? ''} hint="Or how it begins." />
      <TextField
        name="min_latency_ms"
        label={filterNames.min_latency_ms}
        inputMode="numeric"
        defaultValue={filter.min_latency_ms ?? ''}
      />
      <TextField
        name="min_cost_usd"
        label={filterNames.min_cost_usd}
        inputMode="decimal"
        defaultValue={filter.min_cost_usd ?? ''}
      />
    </div>
  )
}
