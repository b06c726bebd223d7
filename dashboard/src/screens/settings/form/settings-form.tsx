// The form of all settings of the draft, area by area. It sends only what the user edited, and keeps that if somebody
// else changes the draft meanwhile. The bar of the draft saves it.
import { type ReactNode, useId } from 'react'
import { type SettingsDraft, saveDraft } from '../../../api/draft.ts'
import { queryClient } from '../../../api/queries.ts'
import type { UsableModel } from '../../../api/usable-models.ts'
import { classNames } from '../../../ui/class-names.ts'
import { UnsavedEdits } from '../../../ui/dialogs/unsaved-edits.tsx'
import { Form, type FormValues } from '../../../ui/form.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { describeValue, fromTexts } from '../field-values.ts'
import { type Area, areas, fields, labelOf, type SettingsField, valuesOf } from '../fields.ts'
import { type SettingChange, warningsQuery } from '../queries.ts'
import { SettingField } from '../setting-field.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { DefaultModel } from './default-model.tsx'
import { textsOf, useDraftEdits } from './use-draft-edits.ts'

/** Those that stand beside each other. */
const shortKinds: readonly string[] = ['integer', 'choice']

interface SettingsFormProps {
  draft: SettingsDraft
  changes: readonly SettingChange[]
  models: readonly UsableModel[]
}

export function SettingsForm({ draft, changes, models }: SettingsFormProps) {
  const formId = useId()
  const edits = useDraftEdits(draft)
  const toast = useToast()
  const submit = async (texts: FormValues): Promise<void> => {
    const edited = edits.find(texts)
    if (edited.length === 0) return toast.show('There is nothing to save: nothing was edited.')
    const body = Object.fromEntries(edited.map(field => [field, fromTexts(field, texts)]))
    edits.show(textsOf(await saveDraft(draft.project_id, body)), texts)
    const found = queryClient.getQueryData(warningsQuery(draft.project_id).queryKey)
    const warnings = found?.draft.map(({ message }) => `Warning: ${message}`) ?? []
    toast.show(['Saved as a draft. It is not live until you deploy.', ...warnings].join(' '))
  }
  const isEdited = ({ fields: own }: Area): boolean => own.some(field => edits.edited.includes(field))
  const names = areas.filter(isEdited).map(({ title }) => title)
  return (
    <div ref={edits.box} onInput={edits.follow}>
      <UnsavedEdits areThere={names.length > 0} names={names} formId={formId} />
      <Form id={formId} submit={submit} undo={edits.undo}>
        {areas.map(area => (
          <SettingsSection key={area.id} {...area}>
            <AreaFields area={area} draft={draft} changes={changes} models={models} />
            <ChangedElsewhere fields={area.fields.filter(field => edits.changedElsewhere.includes(field))} />
            {area.fields.includes('provider_model') && <DefaultModel draft={draft} />}
          </SettingsSection>
        ))}
      </Form>
    </div>
  )
}

function AreaFields({ area, draft, changes, models }: SettingsFormProps & { area: Area }) {
  return (
    <div className="grid max-w-4xl items-start gap-4 xl:grid-cols-2">
      {area.fields.map(field => (
        <div key={field} className={classNames('min-w-0', !shortKinds.includes(fields[field].kind) && 'xl:col-span-2')}>
          <SettingField
            field={field}
            value={valuesOf(draft)[field]}
            models={models}
            isDefaultModelOffered={draft.provider_model === null}
            note={<DeployedValue field={field} changes={changes} />}
          />
        </div>
      ))}
    </div>
  )
}

function ChangedElsewhere({ fields: changed }: { fields: readonly SettingsField[] }): ReactNode {
  if (changed.length === 0) return null
  return (
    <p role="status" className="text-warn">
      Somebody else changed the draft: {changed.map(labelOf).join(', ')}. Your edits stay until you save or undo them.
    </p>
  )
}

/** Beside a field whose draft differs from what is live. */
function DeployedValue({ field, changes }: { field: SettingsField; changes: readonly SettingChange[] }) {
  const change = changes.find(one => one.field === field)
  if (change === undefined) return null
  const words = describeValue(field, change.from).join(', ')
  return (
    <span className="block text-warn">
      Deployed: <bdi>{words.length > 200 ? `${words.slice(0, 200)}…` : words}</bdi>
    </span>
  )
}
