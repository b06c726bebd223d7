// Stores a provider's key, which Sallyport checks with the provider first.
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

const providers = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  openrouter: 'OpenRouter',
  mistral: 'Mistral AI',
  cohere: 'Cohere',
}

export function ProviderKeyForm({ tenantId }: { tenantId: string }) {
  const toast = useToast()
  const submit = async ({ provider = '', api_key = '', base_url_override = '' }: FormValues): Promise<void> => {
    await request('PUT', '/auth/v1/tenants/{tenantId}/providers/{providerType}', {
      path: { tenantId, providerType: provider },
      body: { api_key, ...(base_url_override === '' ? {} : { base_url_override }) },
    })
    await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
    toast.show('The key is stored. Choose a model.')
  }
  return (
    <Form submit={submit} submitLabel="Check and store the key">
      <SelectField name="provider" label="Provider">
        {Object.entries(providers).map(([slug, name]) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        name="api_key"
        label="Provider key"
        type="password"
        autoComplete="off"
        hint="Sallyport checks it with the provider, stores it encrypted and never shows it again."
        required
      />
      <TextField
        name="base_url_override"
        label="Other address (optional)"
        hint="Only if your requests go to another address than the provider’s own."
      />
    </Form>
  )
}
