// Stores a provider's key, which Sallyport checks with the provider first.
import { type ReactNode, useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CheckProgress } from './check-progress.tsx'
import { nameOfProvider, providerNames } from './provider-names.ts'

interface ProviderKeyFormProps {
  tenantId: string
  /** The only provider that can be chosen. */
  provider?: string
  /** Said after the key was stored. */
  notice?: string
  onStored?: () => void
  secondary?: ReactNode
}

export function ProviderKeyForm({ tenantId, provider: only, onStored, secondary, ...words }: ProviderKeyFormProps) {
  const { notice = 'The key is stored. Choose a model.' } = words
  const toast = useToast()
  const [checking, setChecking] = useState<string | null>(null)
  const submit = async (values: FormValues): Promise<void> => {
    const { provider = only ?? '', api_key = '', base_url_override = '' } = values
    setChecking(provider)
    try {
      await request('PUT', '/auth/v1/tenants/{tenantId}/providers/{providerType}', {
        path: { tenantId, providerType: provider },
        body: { api_key, ...(base_url_override === '' ? {} : { base_url_override }) },
      })
    } finally {
      setChecking(null)
    }
    await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
    toast.show(notice)
    onStored?.()
  }
  return (
    <Form submit={submit} submitLabel="Check and store the key" secondary={secondary}>
      {only === undefined && (
        <SelectField name="provider" label="Provider">
          {Object.entries(providerNames).map(([slug, name]) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
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
      <CheckProgress name={checking === null ? null : nameOfProvider(checking)} />
    </Form>
  )
}
