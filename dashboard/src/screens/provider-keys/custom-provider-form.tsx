// Configures a custom provider as a whole: its address, its credential and its models. Secrets that are stored cannot
// be read again, so they have to be typed again with each change.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CancelLink } from './cancel-link.tsx'
import { CheckProgress } from './check-progress.tsx'
import { explainAddress } from './explain-address.ts'
import { EditedModelList, ModelEditDialog, useModelEdits } from './model-list.tsx'
import { toInput } from './model-values.ts'
import type { CustomProvider, Preset } from './queries.ts'

interface CustomProviderFormProps {
  tenantId: string
  /** The stored one; null for a new one. */
  provider: CustomProvider | null
  /** What the fields of a new one begin with. */
  preset: Preset | null
  /** The slugs of the tenant's other providers. */
  taken: readonly string[]
}

export function CustomProviderForm({ tenantId, provider, preset, taken }: CustomProviderFormProps) {
  const navigate = useNavigate()
  const toast = useToast()
  const [models] = useState(() => provider?.models.map(toInput) ?? [])
  const edits = useModelEdits(models)
  const [isDiscovered, setDiscovered] = useState(provider?.models_discovered ?? true)
  const [isEdited, setEdited] = useState(false)
  const [checked, setChecked] = useState<string | null>(null)
  const submit = async (values: FormValues): Promise<void> => {
    const slug = provider?.slug ?? (values['slug'] ?? '').trim()
    if (taken.includes(slug)) throw new Error('slug must be another one: the tenant has a provider of this name')
    const body = { ...readBody(values), ...(isDiscovered ? {} : { models: [...edits.models] }) }
    setChecked(body.display_name)
    try {
      await request('PUT', '/auth/v1/tenants/{tenantId}/providers/custom/{slug}', { path: { tenantId, slug }, body })
    } catch (error) {
      throw explainAddress(error, body.base_url)
    } finally {
      setChecked(null)
    }
    await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
    await navigate({ to: '/app/tenants/$tenantId/provider-keys', params: { tenantId }, ignoreBlocker: true })
    toast.show(provider === null ? 'The provider is stored. Choose a model in a project.' : 'The provider is changed.')
  }
  return (
    <div onInput={() => setEdited(true)}>
      <UnsavedEdits areThere={isEdited || edits.isChanged} />
      <Form
        isWide
        submit={submit}
        submitLabel="Check and store the provider"
        secondary={<CancelLink tenantId={tenantId} />}
      >
        <NameFields provider={provider} preset={preset} />
        <CredentialFields provider={provider} needsKey={preset?.needs_key ?? provider?.api_key_hint !== null} />
        <SelectField
          name="models"
          label="List of models"
          value={isDiscovered ? 'discovered' : 'named'}
          onValue={value => setDiscovered(value === 'discovered')}
          hint={isDiscovered ? 'Read once, now. Store the provider again to read the list again.' : undefined}
        >
          <option value="discovered">Read the list from the server</option>
          <option value="named">Name them here, with prices and capabilities</option>
        </SelectField>
        {!isDiscovered && <EditedModelList edits={edits} noun="model" />}
        <CheckProgress name={checked} />
      </Form>
      <ModelEditDialog edits={edits} noun="model" />
    </div>
  )
}

function NameFields({ provider, preset }: Pick<CustomProviderFormProps, 'provider' | 'preset'>) {
  return (
    <>
      <TextField
        name="display_name"
        label="Name"
        defaultValue={provider?.display_name ?? preset?.display_name}
        maxLength={255}
        autoComplete="off"
        required
      />
      {provider === null && (
        <TextField
          name="slug"
          label="Short name"
          defaultValue={preset?.slug}
          hint="Lower-case letters, digits and hyphens. The IDs of its models begin with it, so it cannot be changed later."
          autoComplete="off"
          required
        />
      )}
      <TextField
        name="base_url"
        label="Base URL"
        defaultValue={provider?.base_url ?? preset?.base_url}
        hint="The address below which /chat/completions is. For a server in your own network, the operator sets OUTBOUND_ALLOW, an environment variable of the Sallyport server."
        inputMode="url"
        autoComplete="off"
        required
      />
    </>
  )
}

function CredentialFields({ provider, needsKey }: { provider: CustomProvider | null; needsKey: boolean }) {
  const [hasKey, setHasKey] = useState(needsKey)
  const stored = provider?.api_key_hint ?? null
  const headers = Object.entries(provider?.headers ?? {})
  const storedHeaders = headers.map(([name, hint]) => `${name} (${hint})`).join(', ')
  return (
    <>
      <SelectField
        name="credential"
        label="Credential"
        value={hasKey ? 'key' : 'none'}
        onValue={value => setHasKey(value === 'key')}
      >
        <option value="key">A key</option>
        <option value="none">No key</option>
      </SelectField>
      {hasKey && (
        <TextField
          name="api_key"
          label="Key"
          type="password"
          autoComplete="off"
          hint={
            stored === null
              ? 'Stored encrypted and never shown again.'
              : `The stored key (${stored}) is not shown: type it again, or a new one.`
          }
          required
        />
      )}
      <TextAreaField
        name="headers"
        label="Headers (optional)"
        rows={2}
        defaultValue={headers.map(([name]) => `${name}: `).join('\n')}
        hint={
          storedHeaders === ''
            ? 'Sent with every request, one a line, such as X-Team: support. Stored encrypted.'
            : `One a line. The stored values are not shown: ${storedHeaders}. Type them again, or remove their lines.`
        }
        spellCheck={false}
        autoCapitalize="off"
      />
    </>
  )
}

function readBody({ display_name = '', base_url = '', api_key = '', headers = '' }: FormValues) {
  return {
    display_name: display_name.trim(),
    base_url: base_url.trim(),
    ...(api_key === '' ? {} : { api_key }),
    headers: readHeaders(headers),
  }
}

function readHeaders(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  const headers = lines.map(line => {
    const end = line.indexOf(':')
    if (end < 1) throw new Error('headers must each have a name, a colon and a value')
    return [line.slice(0, end).trim(), line.slice(end + 1).trim()] as const
  })
  const names = headers.map(([name]) => name.toLowerCase())
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`headers must not set ${twice} twice`)
  return Object.fromEntries(headers)
}
