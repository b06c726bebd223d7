// Adds an entry to the catalog of providers.
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useOperator } from './operator-context.tsx'
import { catalogQuery } from './queries.ts'

export function NewProviderDialog({ close }: { close: () => void }) {
  const operator = useOperator()
  const toast = useToast()
  const submit = async ({
    name = '',
    slug = '',
    displayName = '',
    modelsEndpointUrl = '',
  }: FormValues): Promise<void> => {
    const endpoint = modelsEndpointUrl.trim() === '' ? {} : { modelsEndpointUrl: modelsEndpointUrl.trim() }
    const added = await operator.request('POST', '/auth/v1/admin/providers', {
      body: { name, slug, displayName, ...endpoint },
    })
    await queryClient.invalidateQueries({ queryKey: catalogQuery(operator).queryKey })
    close()
    toast.show(`${added.display_name} is in the catalog.`)
  }
  return (
    <Dialog title="Add a provider" onClose={close}>
      <Form submit={submit} submitLabel="Add provider" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField name="name" label="Name" required autoFocus />
        <TextField name="displayName" label="Display name" required />
        <TextField
          name="slug"
          label="Slug"
          hint="Lower-case letters, digits, hyphens and underscores; ids of its models begin with it."
          required
        />
        <TextField
          name="modelsEndpointUrl"
          label="URL of its list of models"
          hint="For “Sync models”. It is called without a key. You can leave it empty."
          inputMode="url"
        />
      </Form>
    </Dialog>
  )
}
