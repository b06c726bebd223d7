// Adds an alert to those of a project.
import { useState } from 'react'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { measureNames, measures } from './measures.ts'
import { type Alert, type Measure, saveAlerts } from './queries.ts'

export function NewAlert({ projectId, alerts }: { projectId: string; alerts: readonly Alert[] }) {
  const toast = useToast()
  const [measure, setMeasure] = useState<Measure>('error_rate')
  const submit = async (values: FormValues): Promise<void> => {
    const { name = '', over = '', window_minutes: minutes = '', model, tier } = values
    const alert = {
      name,
      on: measure,
      over: Number(over) / (measureNames[measure].scale ?? 1),
      window_minutes: Number(minutes),
      for: { ...(model && { model }), ...(tier && { tier }) },
    }
    await saveAlerts(projectId, [...alerts, alert])
    toast.show('The alert is added. It is measured each minute.')
  }
  return (
    <Form submit={submit} submitLabel="Add alert" isResetAfterwards>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField name="name" label="Name" required maxLength={255} />
        <SelectField
          name="on"
          label="Measure"
          value={measure}
          onValue={value => setMeasure(measures.find(one => one === value) ?? measure)}
        >
          {measures.map(one => (
            <option key={one} value={one}>
              {measureNames[one].title}
            </option>
          ))}
        </SelectField>
        <TextField
          name="over"
          label={`Above (${measureNames[measure].unit})`}
          inputMode="decimal"
          autoComplete="off"
          required
          {...(measure === 'error_rate' && { hint: 'Below 100.' })}
        />
        <TextField name="window_minutes" label="Window (minutes)" inputMode="numeric" defaultValue="15" required />
        <TextField name="model" label="Model" hint="Empty: all models." />
        <TextField name="tier" label="Tier" hint="Empty: all tiers." />
      </div>
    </Form>
  )
}
