// The form of a tier: its name, and a control for each setting that it overrides.

import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import type { UsableModel } from '../../api/usable-models.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { UnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { fromTexts } from '../settings/field-values.ts'
import { fields, type SettingsValues } from '../settings/fields.ts'
import { SettingField } from '../settings/setting-field.tsx'
import { useFocus } from '../settings/use-focus.ts'
import { type OverrideField, overriddenFields, overrideFields, type Tier } from './queries.ts'

interface TierFormProps {
  projectId: string
  /** Null for a new tier. */
  tier: Tier | null
  /** The draft of the project, with which a new override begins. */
  project: SettingsValues
  models: readonly UsableModel[]
}

export function TierForm({ projectId, tier, project, models }: TierFormProps) {
  // Null is a value of an override, too.
  const initial = (field: OverrideField): unknown => ({ ...project, ...tier?.overrides })[field]
  const ownTypes = { ...project, ...tier?.overrides }.custom_entities.map(({ name }) => name)
  const navigate = useNavigate()
  const toast = useToast()
  const [overridden, setOverridden] = useState(tier === null ? [] : overriddenFields(tier))
  const [isEdited, setEdited] = useState(false)
  const { box, focusOn } = useFocus()
  const change = (next: OverrideField[], focused: string): void => {
    setOverridden(next)
    setEdited(true)
    focusOn(focused)
  }
  const submit = async (texts: FormValues): Promise<void> => {
    const overrides = Object.fromEntries(overridden.map(field => [field, fromTexts(field, texts)]))
    await save(projectId, tier, { name: texts['name'] ?? '', overrides })
    await navigate({ to: '/app/projects/$projectId/tiers', params: { projectId }, ignoreBlocker: true })
    await refreshSettings(projectId)
    toast.show('Saved as a draft. The tier is not live until you deploy.')
  }
  return (
    <div ref={box} onInput={() => setEdited(true)}>
      <UnsavedEdits areThere={isEdited} />
      <Form
        submit={submit}
        submitLabel={tier === null ? 'Create tier' : 'Save tier'}
        isOfStored={tier !== null}
        secondary={<Cancel projectId={projectId} />}
      >
        <TextField
          name="name"
          label="Name"
          defaultValue={tier?.name ?? ''}
          hint={tier === null ? nameHint : `${nameHint} Tokens with the old name keep the old settings for a day.`}
          autoComplete="off"
          required
        />
        {overridden.map(field => (
          <div key={field} className="flex flex-col items-start gap-2 rounded-md border border-line p-3">
            <div className="flex w-full flex-col gap-3">
              <SettingField field={field} value={initial(field)} models={models} ownTypes={ownTypes} />
            </div>
            <Button
              onClick={() =>
                change(
                  overridden.filter(one => one !== field),
                  menuName,
                )
              }
            >
              Remove override: {fields[field].label}
            </Button>
          </div>
        ))}
        <AddOverride overridden={overridden} add={field => change([...overridden, field], field)} />
      </Form>
    </div>
  )
}

const nameHint = 'As your server sends it when it mints a token, such as: pro.'
const menuName = 'new_override'

interface AddOverrideProps {
  overridden: readonly OverrideField[]
  add: (field: OverrideField) => void
}

function AddOverride({ overridden, add }: AddOverrideProps) {
  const [chosen, setChosen] = useState<string>()
  const others = overrideFields.filter(field => !overridden.includes(field))
  const next = others.find(field => field === chosen) ?? others[0]
  if (next === undefined) return null
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 grow">
        <SelectField name={menuName} label="Setting to override" value={next} onValue={setChosen}>
          {others.map(field => (
            <option key={field} value={field}>
              {fields[field].label}
            </option>
          ))}
        </SelectField>
      </div>
      <Button onClick={() => add(next)}>Add override</Button>
    </div>
  )
}

interface SavedTier {
  name: string
  /** The API checks the values. */
  overrides: Tier['overrides']
}

async function save(projectId: string, tier: Tier | null, body: SavedTier): Promise<void> {
  if (tier === null) {
    // A new tier is the last one.
    const others = await request('GET', '/auth/v1/projects/{projectId}/tiers', { path: { projectId } })
    const sort_order = Math.max(-1, ...others.map(other => other.sort_order)) + 1
    await request('POST', '/auth/v1/projects/{projectId}/tiers', { path: { projectId }, body: { ...body, sort_order } })
  } else {
    const path = { projectId, tierId: tier.id }
    await request('PUT', '/auth/v1/projects/{projectId}/tiers/{tierId}', { path, body })
  }
}

function Cancel({ projectId }: { projectId: string }) {
  return (
    <Link to="/app/projects/$projectId/tiers" params={{ projectId }} className={buttonClass()}>
      Cancel
    </Link>
  )
}
