// Sets or changes the meter of a tenant.
import { useState } from 'react'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Meter, putMeter } from './meter.ts'

interface MeterFormProps {
  tenantId: string
  meter: Meter | null
  mayWrite: boolean
  onSecret: (secret: string) => void
}

export function MeterForm({ tenantId, meter, mayWrite, onSecret }: MeterFormProps) {
  const toast = useToast()
  const fields = <MeterFields meter={meter} />
  if (!mayWrite) {
    return (
      <fieldset disabled className="flex max-w-xl flex-col gap-4">
        {fields}
      </fieldset>
    )
  }
  const save = async (values: FormValues): Promise<void> => {
    const secret = await putMeter(tenantId, values)
    toast.show('The meter is saved.')
    if (secret !== null) onSecret(secret)
  }
  return (
    <Form submit={save} submitLabel={meter === null ? 'Set up' : 'Save'} isOfStored={meter !== null}>
      {fields}
    </Form>
  )
}

function MeterFields({ meter }: { meter: Meter | null }) {
  const [format, setFormat] = useState(meter?.format ?? 'cloudevents')
  const isStripe = format === 'stripe'
  return (
    <>
      <SelectField
        name="format"
        label="Format"
        defaultValue={format}
        onValue={value => setFormat(value === 'stripe' ? 'stripe' : 'cloudevents')}
      >
        <option value="cloudevents">CloudEvents (OpenMeter, your own service)</option>
        <option value="stripe">Stripe meter events</option>
      </SelectField>
      <TextField
        name="url"
        label={isStripe ? 'URL (optional)' : 'URL'}
        defaultValue={meter?.url}
        inputMode="url"
        autoComplete="off"
        hint={isStripe ? 'Empty: Stripe’s own.' : 'https on port 443 or 8443 at a public address, without a query.'}
        required={!isStripe}
      />
      <TextField
        name="secret"
        label={isStripe ? 'API key' : 'Secret (optional)'}
        type="password"
        autoComplete="off"
        hint={isStripe ? secretOfStripe : secretOfEvents}
      />
      <TextField
        name="event_name"
        label={isStripe ? 'Event name of the meter' : 'Type of the events (optional)'}
        defaultValue={meter?.event_name}
        autoComplete="off"
        hint={isStripe ? undefined : 'Empty: sallyport.usage.'}
        required={isStripe}
      />
      <CountFields meter={meter} isStripe={isStripe} />
    </>
  )
}

const secretOfStripe = 'One that may write meter events. Empty: the stored one stays, unless the URL changes.'
const secretOfEvents =
  'One that begins with whsec_ signs each batch, any other is sent as a bearer token. Empty: the stored one stays, ' +
  'or a new one that signs is made.'

function CountFields({ meter, isStripe }: { meter: Meter | null; isStripe: boolean }) {
  return (
    <>
      <SelectField name="value" label="What is counted" defaultValue={meter?.value ?? 'cost_usd'}>
        <option value="cost_usd">{isStripe ? 'Cost in nano-dollars' : 'Cost in USD'}</option>
        <option value="total_tokens">Tokens</option>
        <option value="requests">Requests</option>
      </SelectField>
      <SelectField
        name="subject"
        label="Who it is for"
        defaultValue={meter?.subject ?? 'uid'}
        hint="Once the meter is stored, you can map these names to your provider’s customers."
      >
        <option value="uid">The end user (uid)</option>
        <option value="tier">The tier</option>
        <option value="project">The project (slug)</option>
      </SelectField>
    </>
  )
}
