// The usage of all tenants, by tenant, day, model or endpoint.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { daysOf } from '../../api/days.ts'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Figures } from '../../ui/figures.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { formatCount, formatUsd } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { describeCost } from '../prices/describe-cost.ts'
import { useOperator } from './operator-context.tsx'
import { allUsageQuery, costNote, groupings, type UsageGroup, type UsageGrouping, type UsageSearch } from './queries.ts'
import { TenantName } from './tenant-name.tsx'

const from = '/app/operator/usage'

const groupColumns: Record<UsageGrouping, Column<UsageGroup>> = {
  tenant: {
    title: 'Tenant',
    value: ({ tenant_id = null }) => tenant_id,
    cell: ({ tenant_id }) => <TenantName id={tenant_id ?? ''} />,
  },
  day: { title: 'Day (UTC)', value: ({ day = null }) => day, cell: ({ day }) => day },
  model: { title: 'Model', value: ({ model = null }) => model, cell: ({ model }) => <bdi>{model}</bdi> },
  endpoint: {
    title: 'Endpoint',
    value: ({ endpoint = null }) => endpoint,
    cell: ({ endpoint }) => nameOfEndpoint(endpoint ?? ''),
  },
}
const numberColumns: Column<UsageGroup>[] = [
  {
    title: 'Requests',
    isNumber: true,
    value: ({ requests }) => requests,
    cell: ({ requests }) => formatCount(requests),
  },
  {
    title: 'Input tokens',
    isNumber: true,
    value: row => row.prompt_tokens,
    cell: row => formatCount(row.prompt_tokens),
  },
  {
    title: 'Output tokens',
    isNumber: true,
    value: row => row.completion_tokens,
    cell: row => formatCount(row.completion_tokens),
  },
  {
    title: 'Cost',
    isNumber: true,
    value: row => (row.price_unknown && row.cost_usd === 0 ? null : row.cost_usd),
    cell: describeCost,
  },
]

export function OperatorUsageScreen() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const operator = useOperator()
  const usage = useQuery(allUsageQuery(operator, search))
  const { group_by: grouping = 'tenant', cursor } = search
  const show = (next: UsageSearch) => void navigate({ search: next })
  return (
    <Page
      title="Usage of all tenants"
      lead="Requests, tokens and cost of this installation. A deleted tenant’s usage is erased with it."
    >
      <UsageFilter key={JSON.stringify(search)} search={search} show={show} />
      <Loaded query={usage} what="the usage">
        {({ data, totals, next_cursor }) => (
          <>
            <Figures
              figures={[
                { title: 'Requests', value: formatCount(totals.requests) },
                { title: 'Tokens', value: formatCount(totals.total_tokens) },
                { title: 'Cost', value: formatUsd(totals.cost_usd), note: costNote },
              ]}
            />
            <Table
              caption="Usage"
              columns={[groupColumns[grouping], ...numberColumns]}
              rows={
                grouping === 'day' && cursor === undefined && next_cursor === null ? withEmptyDays(data, search) : data
              }
              keyOf={row => row.tenant_id ?? row.day ?? row.model ?? row.endpoint ?? ''}
              fileName={`usage-by-${grouping}`}
              isPart={cursor !== undefined || next_cursor !== null}
              empty={<Empty title="No usage">Nothing was answered in these days. Choose others.</Empty>}
            />
            <Pager cursor={cursor} next={next_cursor} go={next => show(withCursor(search, next))} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** A day without a request is a row of zeros, in the order of the others. */
function withEmptyDays(rows: readonly UsageGroup[], search: UsageSearch): readonly UsageGroup[] {
  const known = rows.flatMap(({ day }) => day ?? []).sort()
  const { from: first = known[0], to: last = known.at(-1) } = search
  if (known.length === 0 || first === undefined || last === undefined) return rows
  const filled = daysOf({ from: first, to: last }, maxDays).map(
    day => rows.find(row => row.day === day) ?? { day, ...noUsage },
  )
  return rows[0]?.day === known[0] ? filled : filled.reverse()
}

const maxDays = 366
const noUsage = {
  tenant_id: null,
  model: null,
  endpoint: null,
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  price_unknown: false,
}

function withCursor({ cursor: _, ...filter }: UsageSearch, next: string | undefined): UsageSearch {
  return next === undefined ? filter : { ...filter, cursor: next }
}

function UsageFilter({ search, show }: { search: UsageSearch; show: (next: UsageSearch) => void }) {
  const submit = async (values: FormValues): Promise<void> => {
    const [first, last] = [values['from'] ?? '', values['to'] ?? '']
    const grouping = groupings.find(name => name === values['group_by'])
    show({
      ...(grouping === undefined ? {} : { group_by: grouping }),
      ...(first === '' ? {} : { from: first }),
      ...(last === '' ? {} : { to: last }),
    })
  }
  return (
    <Form submit={submit} submitLabel="Show">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField name="group_by" label="For each" defaultValue={search.group_by ?? 'tenant'}>
          {groupings.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField name="from" label="First day (UTC)" type="date" defaultValue={search.from} />
        <TextField name="to" label="Last day (UTC)" type="date" defaultValue={search.to} />
      </div>
    </Form>
  )
}
