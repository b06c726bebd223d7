// The requests of the filters by what they have in common, such as their model: each group leads to its requests.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { SelectField } from '../../ui/fields.tsx'
import { formatCount, formatMs, formatShare } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Cost } from '../prices/cost.tsx'
import { type RequestGroups as Groups, requestGroupsQuery } from './queries.ts'
import { type Dimension, dimensions, type Order, orders, type RequestSearch, useRequestSearch } from './search.ts'

type Group = Groups['data'][number]

/** The requests of no other group have no name. */
interface Row extends Omit<Group, 'value'> {
  name: ReactNode
  /** The name as a text. */
  text: string
  key: string
  /** In groups of models. */
  model: string | null
}

export function RequestGroups({ projectId }: { projectId: string }) {
  const { search, filter, change } = useRequestSearch()
  const { by = 'model', order = 'requests' } = search
  const groups = useQuery(requestGroupsQuery(projectId, filter, { by, order }))
  return (
    <Section title="Groups">
      <div className="flex flex-wrap gap-4">
        <Choice name="by" label="Group by" names={dimensions} value={by} choose={value => void change({ by: value })} />
        <Choice
          name="order"
          label="Most"
          names={orders}
          value={order}
          choose={value => void change({ order: value })}
        />
      </div>
      <Loaded query={groups} what="the groups">
        {({ data, others, totals, complete_from: since }) => (
          <>
            <Table
              caption={`Requests by ${dimensions[by].toLowerCase()}`}
              columns={columnsOf(projectId, dimensions[by], order, measureOf(totals, order))}
              rows={[
                ...data.map(group => toRow(group, by, projectId, search)),
                ...(others === null
                  ? []
                  : [{ ...others, key: 'others', name: 'All others', text: 'All others', model: null }]),
              ]}
              keyOf={({ key }) => key}
              fileName={`requests-by-${by}`}
              empty={<p className="text-soft">No requests{by === 'prompt' && ' that named a prompt'}.</p>}
            />
            {since !== null && (
              <p className="text-soft">
                The groups are of the requests since <Time iso={since} />: there are too many older ones.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

interface ChoiceProps {
  name: string
  label: string
  names: Record<string, string>
  value: string
  choose: (value: string) => void
}

function Choice({ name, label, names, value, choose }: ChoiceProps) {
  return (
    <SelectField name={name} label={label} value={value} onValue={choose}>
      {Object.entries(names).map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </SelectField>
  )
}

function toRow({ value, ...sums }: Group, by: Dimension, projectId: string, search: RequestSearch): Row {
  const name =
    value === null ? (
      'None'
    ) : (
      <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ ...search, [by]: value }}>
        <bdi>{by === 'endpoint' ? nameOfEndpoint(value) : value}</bdi>
      </Link>
    )
  return { ...sums, key: `value ${value}`, name, text: value ?? 'None', model: by === 'model' ? value : null }
}

const measures: Record<Order, (sums: Omit<Group, 'value'>) => number> = {
  requests: ({ requests }) => requests,
  errors: ({ errors }) => errors,
  tokens: ({ tokens }) => tokens.prompt + tokens.completion,
  cost_usd: ({ cost_usd }) => cost_usd,
}

const measureOf = (sums: Omit<Group, 'value'>, order: Order): number => measures[order](sums)

function columnsOf(projectId: string, title: string, order: Order, whole: number): Column<Row>[] {
  const time = (times: Group['latency_ms']): string => (times === null ? '–' : formatMs(times.p95))
  return [
    { title, value: ({ text }) => text, cell: ({ name }) => name },
    {
      title: `Share of ${orders[order].toLowerCase()}`,
      cell: row => <Share part={measureOf(row, order)} whole={whole} />,
    },
    {
      title: 'Requests',
      isNumber: true,
      value: ({ requests }) => requests,
      cell: ({ requests }) => formatCount(requests),
    },
    {
      title: 'Errors',
      isNumber: true,
      value: ({ errors }) => errors,
      cell: ({ errors, requests }) => formatShare(errors, requests),
    },
    {
      title: 'First token p95',
      isNumber: true,
      value: row => row.first_token_ms?.p95 ?? null,
      cell: ({ first_token_ms }) => time(first_token_ms),
    },
    {
      title: 'Latency p95',
      isNumber: true,
      value: row => row.latency_ms?.p95 ?? null,
      cell: ({ latency_ms }) => time(latency_ms),
    },
    {
      title: 'Tokens',
      isNumber: true,
      value: row => measureOf(row, 'tokens'),
      cell: row => formatCount(measureOf(row, 'tokens')),
    },
    {
      title: 'Cost',
      isNumber: true,
      value: row => row.cost_usd,
      cell: row => (
        <Cost projectId={projectId} model={row.model} tokens={measureOf(row, 'tokens')} usd={row.cost_usd} />
      ),
    },
  ]
}

function Share({ part, whole }: { part: number; whole: number }) {
  return (
    <span className="flex items-center gap-2">
      <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none" className="h-3 w-20 rounded-sm bg-raised">
        <rect width={whole === 0 ? 0 : (part / whole) * 100} height={10} className="fill-chart-accent" />
      </svg>
      {formatShare(part, whole)}
    </span>
  )
}
