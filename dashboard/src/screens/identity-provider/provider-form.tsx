// Sets or changes the identity provider. It is live at once, so a change asks first.
import { SallyportError } from '@sallyport/sdk'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Edits, useEdits } from '../../ui/use-edits.ts'
import { presets } from './presets.ts'
import { type IdentityProvider, providerPath, providerQuery } from './provider.ts'

interface ProviderFormProps {
  projectId: string
  provider: IdentityProvider | null
  mayWrite: boolean
}

export function ProviderForm({ projectId, provider, mayWrite }: ProviderFormProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const edits = useEdits({
    issuer: provider?.issuer ?? '',
    jwks_url: provider?.jwks_url ?? '',
    audience: provider?.audience ?? '',
    user_id_claim: provider?.user_id_claim ?? 'sub',
    tier_claim: provider?.tier_claim ?? '',
  })
  const save = async (values: FormValues): Promise<void> => {
    await putProvider(projectId, values)
    edits.forget(edits.values)
    toast.show('The identity provider is live.')
  }
  const submit = async (values: FormValues): Promise<void> => {
    if (provider === null) return await save(values)
    confirm({
      title: 'Change the identity provider?',
      body: (
        <p>
          The change is live at once, without a deploy: end users whose tokens do not match the new values are rejected
          until they have new ones.
        </p>
      ),
      action: 'Change it now',
      run: () => save(values),
    })
  }
  if (!mayWrite) {
    return (
      <fieldset disabled className="flex max-w-xl flex-col gap-4">
        <ProviderFields edits={edits} />
      </fieldset>
    )
  }
  return (
    <Form
      submit={submit}
      submitLabel={provider === null ? 'Accept its tokens' : 'Change'}
      isDisabled={!edits.isChanged}
      secondary={provider !== null && edits.isChanged && <Button onClick={edits.undo}>Undo</Button>}
    >
      <UnsavedEdits areThere={edits.isChanged} />
      <ProviderFields edits={edits} />
    </Form>
  )
}

async function putProvider(projectId: string, values: FormValues): Promise<void> {
  const { issuer = '', jwks_url = '', audience = '', user_id_claim = '', tier_claim = '' } = values
  const body = { issuer, jwks_url, audience, user_id_claim, tier_claim: tier_claim === '' ? null : tier_claim }
  const { queryKey } = providerQuery(projectId)
  try {
    const provider = await request('PUT', providerPath, { path: { projectId }, body })
    // A read that began before the write would bring the old values back.
    await queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData(queryKey, provider)
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'INVALID_BASE_URL') throw error
    throw new Error('jwks_url must be https on a public address, unless the operator lists its host in OUTBOUND_ALLOW')
  }
}

function ProviderFields({ edits }: { edits: Edits }) {
  const [preset, setPreset] = useState('other')
  const hints = presets[preset]
  const bind = (name: string) => ({
    name,
    value: edits.values[name],
    onValue: (value: string) => edits.edit({ [name]: value }),
  })
  return (
    <>
      <SelectField name="preset" label="Hints for" value={preset} onValue={setPreset}>
        {Object.entries(presets).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField {...bind('issuer')} label="Issuer (iss)" hint={hints?.issuer} required />
      <TextField {...bind('jwks_url')} label="JWKS URL" hint={hints?.jwksUrl} required />
      <TextField {...bind('audience')} label="Audience (aud)" hint={hints?.audience} required />
      <TextField {...bind('user_id_claim')} label="User claim" hint="Names each end user. Usually sub." required />
      <TextField
        {...bind('tier_claim')}
        label="Tier claim (optional)"
        hint="A string that your end users cannot edit. Empty: tokens have no tier."
      />
    </>
  )
}
