// Puts a new key in the place of an API key: at once, or beside it for as long as the servers need.
import { request } from '../../api/management.ts'
import { apiKeysQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { type ApiKey, nameOfKey } from './keys.ts'

interface RotateDialogProps {
  projectId: string
  apiKey: ApiKey
  close: () => void
  onRotated: (plaintext: string) => void
}

export function RotateDialog({ projectId, apiKey, close, onRotated }: RotateDialogProps) {
  const submit = async ({ overlap }: FormValues): Promise<void> => {
    const path = { projectId, keyId: apiKey.id }
    const body = { overlap_seconds: Number(overlap) }
    const rotated = await request('POST', '/auth/v1/projects/{projectId}/api-keys/{keyId}/rotate', { path, body })
    close()
    onRotated(rotated.api_key)
    await queryClient.invalidateQueries({ queryKey: apiKeysQuery(projectId).queryKey })
  }
  return (
    <Dialog title="Rotate the API key?" onClose={close}>
      <Form submit={submit} submitLabel="Rotate key" look="destroy" secondary={<Button onClick={close}>Cancel</Button>}>
        <p>
          A new key takes the place of <bdi>“{nameOfKey(apiKey)}”</bdi>. Servers that use the old one when it stops
          working cannot mint tokens until they have the new one. Tokens that were minted before stay valid.
        </p>
        <SelectField
          name="overlap"
          label="The old key"
          defaultValue="3600"
          hint="The list shows when a key was last used. You can revoke the old one earlier."
        >
          <option value="0">Stops working at once</option>
          <option value="3600">Works for an hour</option>
          <option value="86400">Works for a day</option>
          <option value="604800">Works for a week</option>
        </SelectField>
      </Form>
    </Dialog>
  )
}
