// Creates a webhook, for all events or for some.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { projectsQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { nameOfEvent, webhookEventTypes } from './event-names.ts'
import { webhooksQuery } from './queries.ts'

interface NewWebhookDialogProps {
  tenantId: string
  close: () => void
  onCreated: (secret: string) => void
}

export function NewWebhookDialog({ tenantId, close, onCreated }: NewWebhookDialogProps) {
  const [isChosen, setChosen] = useState(false)
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  const submit = async (values: FormValues): Promise<void> => {
    const types = isChosen ? webhookEventTypes.filter(type => values[`type.${type}`] !== undefined) : null
    if (types?.length === 0) throw new Error('Choose at least one event')
    const project_id = values['project_id'] || null
    const body = { url: (values['url'] ?? '').trim(), types, project_id }
    const created = await request('POST', '/auth/v1/tenants/{tenantId}/webhooks', { path: { tenantId }, body })
    close()
    onCreated(created.secret)
    await queryClient.invalidateQueries({ queryKey: webhooksQuery(tenantId).queryKey })
  }
  return (
    <Dialog title="New webhook" onClose={close}>
      <Form submit={submit} submitLabel="Create webhook" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField
          name="url"
          label="URL"
          hint="https on port 443 or 8443 at a public address, without a query. The operator may allow others."
          inputMode="url"
          autoComplete="off"
          required
          autoFocus
        />
        <SelectField name="project_id" label="Of" defaultValue="">
          <option value="">All projects, and the tenant itself</option>
          {projects
            .filter(({ managed_by }) => managed_by === null)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </SelectField>
        <SelectField
          name="events"
          label="Events"
          value={isChosen ? 'some' : 'all'}
          onValue={value => setChosen(value === 'some')}
        >
          <option value="all">All, also those that later versions add</option>
          <option value="some">Only some</option>
        </SelectField>
        {isChosen && (
          <fieldset className="grid rounded-md border border-line p-3 sm:grid-cols-2">
            <legend className="px-1 font-medium">Events to send</legend>
            {webhookEventTypes.map(type => (
              <CheckboxField key={type} name={`type.${type}`} label={nameOfEvent(type)} />
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  )
}
