// Configures a cloud as a whole: place, credential and models. Secrets that are stored cannot be read again, so they
// have to be typed again with each change.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient } from '../../api/queries.ts'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CancelLink } from './cancel-link.tsx'
import { CheckButton } from './check-button.tsx'
import { CheckProgress } from './check-progress.tsx'
import { type Cloud, type CloudConfiguration, type CloudField, clouds } from './clouds.ts'
import { EditedModelList, ModelEditDialog, useModelEdits } from './model-list.tsx'
import { toInput } from './model-values.ts'

interface CloudFormProps {
  tenantId: string
  cloud: Cloud
  /** Null if there is none yet. */
  stored: CloudConfiguration | null
}

export function CloudForm({ tenantId, cloud, stored }: CloudFormProps) {
  const { name, noun, fields, credentials, check, store } = clouds[cloud]
  const navigate = useNavigate()
  const toast = useToast()
  const known = knownValues(stored)
  const [models] = useState(() => stored?.models.map(toInput) ?? [])
  const edits = useModelEdits(models)
  const [isEdited, setEdited] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const [first] = credentials
  // The stored one, by a field that is shown of it.
  const used = credentials.find(one => one.fields.some(field => known[field.name] !== undefined)) ?? first
  const [chosen, setChosen] = useState(used.id)
  const credential = credentials.find(({ id }) => id === chosen) ?? first
  const submit = async (values: FormValues): Promise<void> => {
    setChecking(true)
    try {
      await store(tenantId, trimValues(values), [...edits.models])
    } finally {
      setChecking(false)
    }
    await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
    await navigate({ to: '/app/tenants/$tenantId/provider-keys', params: { tenantId }, ignoreBlocker: true })
    toast.show(`${name} is configured. Choose one of its models in a project.`)
  }
  return (
    <div onInput={() => setEdited(true)}>
      <UnsavedEdits areThere={isEdited || edits.isChanged} />
      <Form
        submit={submit}
        submitLabel="Check and store"
        secondary={
          <>
            <CheckButton check={values => check(tenantId, trimValues(values), [...edits.models])} />
            <CancelLink tenantId={tenantId} />
          </>
        }
      >
        {fields.map(field => (
          <CloudFieldControl key={field.name} field={field} value={known[field.name]} />
        ))}
        {credentials.length > 1 && (
          <SelectField name="credential" label="Credential" value={credential.id} onValue={setChosen}>
            {credentials.map(({ id, name: title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </SelectField>
        )}
        {credential.fields.map(field => (
          <CloudFieldControl key={field.name} field={field} value={known[field.name]} />
        ))}
        <EditedModelList edits={edits} noun={noun} />
        <CheckProgress name={isChecking ? name : null} />
      </Form>
      <ModelEditDialog edits={edits} noun={noun} />
    </div>
  )
}

/** The values that are shown in full: of an access key's id, the API shows only the end. */
function knownValues(stored: CloudConfiguration | null): Record<string, string | undefined> {
  if (stored === null) return {}
  const whole = Object.entries(stored.configuration).filter(([, value]) => !value.startsWith('…'))
  return { ...Object.fromEntries(whole), base_url_override: stored.base_url_override ?? undefined }
}

const trimValues = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))

function CloudFieldControl({ field, value }: { field: CloudField; value: string | undefined }) {
  const { name, label, hint = '', secret, isOptional = false } = field
  const common = { name, label, defaultValue: value, required: !isOptional, autoComplete: 'off' }
  if (secret === undefined) return <TextField {...common} hint={hint} />
  const secretHint = `${hint} Stored encrypted and never shown again.`.trim()
  if (secret === 'line') return <TextField {...common} hint={secretHint} type="password" />
  return <TextAreaField {...common} hint={secretHint} spellCheck={false} autoCapitalize="off" />
}
