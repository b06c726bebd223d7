// Chooses what a kill switch stops.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import type { KillSwitchScope } from './kill-switches.ts'
import { useStop } from './use-stop.tsx'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const scopes = ['project', 'tenant', 'global'] as const

export function KillSwitchForm() {
  const stop = useStop()
  const [scope, setScope] = useState<KillSwitchScope>('project')
  const ask = async ({ id: typed = '' }: FormValues): Promise<void> => {
    const id = scope === 'global' ? '' : typed.trim()
    if (scope !== 'global' && !uuid.test(id)) throw new Error(`id must be the id of a ${scope}, a UUID`)
    stop({ scope, id }, id)
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
            scope === 'tenant' ? (
              <>
                <Link to="/app/operator">Search the tenants</Link> to find it.
              </>
            ) : (
              <>
                <Link to="/app/operator/projects">Search the projects</Link> by name or host, and stop one there.
              </>
            )
          }
          autoComplete="off"
          required
        />
      )}
    </Form>
  )
}
