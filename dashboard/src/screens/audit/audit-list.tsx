// A list of the audit, of a tenant or of the installation: filters, the check of the chain, and what each act changed.
import type { UseQueryResult } from '@tanstack/react-query'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { Time } from '../../ui/time.tsx'
import { DayFields } from '../events/day-fields.tsx'
import { describeAction } from './action-words.ts'
import { type AuditFilter, readAuditFilter } from './audit-filter.ts'
import { EntryChanges } from './entry-changes.tsx'
import { LateTextField } from './late-text-field.tsx'
import type { AuditEntry, Verdict } from './queries.ts'
import { VerifyButton } from './verify-button.tsx'

interface AuditListProps {
  entries: UseQueryResult<{ data: AuditEntry[]; next_cursor: string | null }>
  filter: AuditFilter
  /** Goes to another filter, or to another page of this one; in place of the address that is shown, if it says so. */
  show: (filter: AuditFilter, replace?: boolean) => void
  verify: () => Promise<Verdict>
  /** Names of projects by their ids, as far as they are known. */
  projects?: ReadonlyMap<string, string>
}

const noProjects: ReadonlyMap<string, string> = new Map()

export function AuditList({ entries, filter, show, verify, projects = noProjects }: AuditListProps) {
  const { cursor, ...withoutCursor } = filter
  const go = (next: string | undefined) => show(next === undefined ? withoutCursor : { ...withoutCursor, cursor: next })
  return (
    <>
      <Filters
        filter={withoutCursor}
        change={changed => show(readAuditFilter({ ...withoutCursor, ...changed }), true)}
        clear={() => show({}, true)}
      />
      <Loaded query={entries} what="the audit">
        {({ data, next_cursor: next }) => (
          <>
            <VerifyButton verify={verify} />
            <Table
              caption="Audit"
              isDense
              columns={columnsOf(projects, only => show({ ...withoutCursor, ...only }))}
              rows={data}
              keyOf={({ id }) => id}
              empty={<Empty title="No such entries">Choose another filter.</Empty>}
            />
            <Pager cursor={cursor} next={next} go={go} />
          </>
        )}
      </Loaded>
    </>
  )
}

interface FiltersProps {
  filter: AuditFilter
  change: (changed: Partial<Record<keyof AuditFilter, string>>) => void
  clear: () => void
}

function Filters({ filter, change, clear }: FiltersProps) {
  return (
    <search className="grid grid-cols-2 items-end gap-x-4 gap-y-3 sm:flex sm:flex-wrap">
      <LateTextField
        name="action"
        label="Action"
        placeholder="settings.deploy"
        value={filter.action ?? ''}
        apply={action => change({ action })}
      />
      <LateTextField name="actor" label="Actor’s id" value={filter.actor ?? ''} apply={actor => change({ actor })} />
      <LateTextField
        name="target"
        label="Target’s id"
        value={filter.target ?? ''}
        apply={target => change({ target })}
      />
      <SelectField name="outcome" label="Outcome" value={filter.outcome ?? ''} onValue={outcome => change({ outcome })}>
        <option value="">All</option>
        <option value="done">Done</option>
        <option value="refused">Rejected</option>
      </SelectField>
      <DayFields days={filter} change={change} />
      {Object.keys(filter).length > 0 && <Button onClick={clear}>Clear the filters</Button>}
    </search>
  )
}

type Choose = (only: Pick<AuditFilter, 'actor' | 'target'>) => void

const columnsOf = (projects: ReadonlyMap<string, string>, choose: Choose): Column<AuditEntry>[] => [
  { title: 'No.', isNarrow: true, cell: ({ seq }) => <span className="whitespace-nowrap">{seq}</span> },
  { title: 'Time', needsNoTitle: true, cell: ({ at }) => <Time iso={at} /> },
  { title: 'Who', needsNoTitle: true, cell: entry => <Actor entry={entry} choose={choose} /> },
  {
    title: 'What',
    needsNoTitle: true,
    cell: ({ action, outcome }) => (
      <>
        {describeAction(action)} <code className="text-sm whitespace-nowrap text-soft">{action}</code>{' '}
        {outcome === 'refused' && <Badge tone="warn">Rejected</Badge>}
      </>
    ),
  },
  {
    title: 'Target',
    cell: ({ target: { type, id, name }, project_id: project }) => (
      <>
        <span className="text-sm text-soft">{type.replaceAll('_', ' ')}</span>{' '}
        {id === null ? (
          (name ?? 'None')
        ) : (
          <Choice title="Show only what was done to it" choose={() => choose({ target: id })}>
            {name ?? id}
          </Choice>
        )}
        {project != null && project !== id && (
          <>
            <br className="max-sm:hidden" />{' '}
            <span className="text-sm text-soft">
              in <bdi className="break-words">{projects.get(project) ?? project}</bdi>
            </span>
          </>
        )}
      </>
    ),
  },
  { title: 'Changes', cell: entry => <EntryChanges entry={entry} /> },
]

interface ChoiceProps {
  title: string
  choose: () => void
  children: string
}

/** A name in the list by whose id one can filter. */
function Choice({ title, choose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      data-table-tool
      title={title}
      className="cursor-pointer text-left text-accent underline"
      onClick={choose}
    >
      <bdi className="break-words">{children}</bdi>
    </button>
  )
}

function Actor({ entry: { actor, authenticated_by, address }, choose }: { entry: AuditEntry; choose: Choose }) {
  const { id, name } = actor
  return (
    <>
      {id === null ? (
        (name ?? 'Unknown')
      ) : (
        <Choice title="Show only what they did" choose={() => choose({ actor: id })}>
          {name ?? id}
        </Choice>
      )}
      <br className="max-sm:hidden" />{' '}
      <span className="text-sm text-soft">
        {authenticated_by.replaceAll('_', ' ')}
        {address !== null && `, ${address}`}
      </span>
    </>
  )
}
