// Stores a server that speaks OpenAI's chat completions, with the models that it lists.
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CheckProgress } from '../provider-keys/check-progress.tsx'
import { explainAddress } from '../provider-keys/explain-address.ts'
import type { Preset } from '../provider-keys/queries.ts'

interface ServerFormProps {
  tenantId: string
  /** Null for another server. */
  preset: Preset | null
}

export function ServerForm({ tenantId, preset }: ServerFormProps) {
  const toast = useToast()
  const [checked, setChecked] = useState<string | null>(null)
  const submit = async ({ base_url = '', api_key = '' }: FormValues): Promise<void> => {
    const address = base_url.trim()
    const host = URL.parse(address)?.hostname ?? ''
    const name = preset?.display_name ?? host
    setChecked(name)
    try {
      await request('PUT', '/auth/v1/tenants/{tenantId}/providers/custom/{slug}', {
        path: { tenantId, slug: preset?.slug ?? slugOf(host) },
        body: { display_name: name, base_url: address, ...(api_key !== '' && { api_key }) },
      })
    } catch (error) {
      throw explainAddress(error, address)
    } finally {
      setChecked(null)
    }
    await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
    toast.show('The server is stored. Choose a model.')
  }
  return (
    <Form submit={submit} submitLabel="Check and store the server">
      <TextField
        name="base_url"
        label="Base URL"
        defaultValue={preset?.base_url}
        hint="The address below which /chat/completions is. For a server in your own network, the operator sets OUTBOUND_ALLOW, an environment variable of the Sallyport server."
        inputMode="url"
        autoComplete="off"
        required
      />
      <TextField
        name="api_key"
        label={preset?.needs_key ? 'Key' : 'Key (optional)'}
        type="password"
        autoComplete="off"
        hint="Stored encrypted and never shown again."
        required={preset?.needs_key === true}
      />
      <CheckProgress name={checked} />
    </Form>
  )
}

/** What the IDs of the server's models begin with. */
const slugOf = (host: string): string =>
  host
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50) || 'server'
