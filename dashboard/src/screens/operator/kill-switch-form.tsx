// Sets a kill switch, after the operator has read what it stops.
import { useState } from 'react'
import { queryClient } from '../../api/queries.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type KillSwitch, type KillSwitchScope, setKillSwitch, stoppedBy } from './kill-switches.ts'
import { useOperator } from './operator-context.tsx'
import { killSwitchesQuery } from './queries.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const scopes = ['project', 'tenant', 'global'] as const
/** Must be typed before everything stops. */
const globalText = 'stop everything'

export function KillSwitchForm() {
  const operator = useOperator()
  const confirm = useConfirm()
  const toast = useToast()
  const [scope, setScope] = useState<KillSwitchScope>('project')
  const ask = async ({ id = '' }: FormValues): Promise<void> => {
    const target: KillSwitch = { scope, id: scope === 'global' ? '' : id.trim() }
    if (scope !== 'global' && !uuid.test(target.id)) throw new Error(`id must be the id of a ${scope}, a UUID`)
    confirm({
      title: scope === 'global' ? 'Stop everything?' : `Stop the ${scope}?`,
      body: (
        <>
          <p>
            {`${stoppedBy[scope]} get 403 “Service disabled by kill switch” within a second, and streams in flight end within two, until you lift the switch.`}
          </p>
          {target.id !== '' && <code>{target.id}</code>}
        </>
      ),
      action: 'Set the kill switch',
      ...(scope === 'global' && { typed: { label: `Type “${globalText}” to confirm`, text: globalText } }),
      run: async () => {
        await setKillSwitch(operator, target, true)
        await queryClient.invalidateQueries({ queryKey: killSwitchesQuery(operator).queryKey })
        toast.show('The kill switch is on.')
      },
    })
  }
  return (
    <Form submit={ask} submitLabel="Set a kill switch…" look="danger">
      <SelectField
        name="scope"
        label="What to stop"
        defaultValue={scope}
        onValue={value => setScope(scopes.find(one => one === value) ?? 'project')}
      >
        <option value="project">one project</option>
        <option value="tenant">one tenant with all its projects</option>
        <option value="global">everything</option>
      </SelectField>
      {scope !== 'global' && (
        <TextField
          name="id"
          label={scope === 'tenant' ? 'Id of the tenant' : 'Id of the project'}
          hint={
            scope === 'tenant' ? 'The list of tenants shows it.' : 'The address of the project’s pages contains it.'
          }
          autoComplete="off"
          required
        />
      )}
    </Form>
  )
}
