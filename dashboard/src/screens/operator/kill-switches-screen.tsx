// The kill switches: which are on, what they stop, setting and lifting them.
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton } from '../../ui/button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { KillSwitchForm } from './kill-switch-form.tsx'
import { type KillSwitch, setKillSwitch } from './kill-switches.ts'
import { useOperator } from './operator-context.tsx'
import { killSwitchesQuery, switchChangesQuery } from './queries.ts'
import { TenantName } from './tenant-name.tsx'

export function KillSwitchesScreen() {
  const switches = useQuery(killSwitchesQuery(useOperator()))
  return (
    <Page
      title="Kill switches"
      lead={
        <>
          Each stops all requests of the end users of a project, a tenant or the whole installation within a second.{' '}
          <a href="/docs/concepts">About kill switches</a>
        </>
      }
    >
      <Section title="On now">
        <Loaded query={switches} what="kill switches">
          {({ global, tenants, projects }) => (
            <SwitchTable
              rows={[
                ...(global ? [{ scope: 'global', id: '' } as const] : []),
                ...tenants.map(id => ({ scope: 'tenant', id }) as const),
                ...projects.map(id => ({ scope: 'project', id }) as const),
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Section title="Set a kill switch">
        <KillSwitchForm />
      </Section>
    </Page>
  )
}

function SwitchTable({ rows }: { rows: KillSwitch[] }) {
  return (
    <Table
      caption="Kill switches that are on"
      columns={[
        {
          title: 'Stops',
          cell: ({ scope }) => <Badge tone="danger">{scope === 'global' ? 'everything' : scope}</Badge>,
        },
        { title: 'Which', cell: one => <Target {...one} /> },
        { title: 'Last change', cell: one => <Change {...one} /> },
        { title: 'Actions', cell: one => <Lift {...one} /> },
      ]}
      rows={rows}
      keyOf={({ scope, id }) => `${scope} ${id}`}
      empty={<Empty title="No kill switch is on">Nothing is stopped.</Empty>}
    />
  )
}

function Target({ scope, id }: KillSwitch) {
  if (scope === 'global') return 'All tenants and projects'
  return scope === 'tenant' ? <TenantName id={id} /> : <code>{id}</code>
}

/** Who turned the switch, and when; nothing if that was before the oldest entry of the audit that is read. */
function Change({ scope, id }: KillSwitch) {
  const changes = useQuery(switchChangesQuery(useOperator()))
  const entry = changes.data?.get(scope === 'global' ? 'global' : id)
  if (entry === undefined) return null
  return (
    <>
      <bdi>{entry.actor.name ?? entry.actor.id ?? 'Unknown'}</bdi>
      <br />
      <Time iso={entry.at} />
    </>
  )
}

function Lift(one: KillSwitch) {
  const operator = useOperator()
  const toast = useToast()
  const lift = async (): Promise<void> => {
    await setKillSwitch(operator, one, false)
    await queryClient.invalidateQueries({ queryKey: killSwitchesQuery(operator).queryKey })
    toast.show('The kill switch is off. Requests are answered again.')
  }
  const target = one.scope === 'global' ? 'everything' : `the ${one.scope} ${one.id}`
  return (
    <ActionButton aria-label={`Lift the kill switch of ${target}`} run={lift}>
      Lift
    </ActionButton>
  )
}
