// The form of one area of the draft. It sends only what the user edited, and keeps that if somebody else changes the
// draft meanwhile.
import { type RefObject, useEffect, useRef, useState } from 'react'
import { type SettingsDraft, saveDraft } from '../../api/draft.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { describeValue, fromTexts, toTexts } from './field-values.ts'
import { type Area, fields, labelOf, type SettingsField, valuesOf } from './fields.ts'
import { writeControl } from './json-control.tsx'
import { type SettingChange, warningsQuery } from './queries.ts'
import { SettingField } from './setting-field.tsx'

/** Those that stand beside each other. */
const shortKinds: readonly string[] = ['integer', 'choice']

interface AreaFormProps {
  area: Area
  draft: SettingsDraft
  changes: readonly SettingChange[]
  models: readonly string[]
  onEdited: (isEdited: boolean) => void
}

export function AreaForm({ area, draft, changes, models, onEdited }: AreaFormProps) {
  const box = useRef<HTMLDivElement>(null)
  const edits = useEdits(box, area, draft, onEdited)
  const toast = useToast()
  const submit = async (texts: FormValues): Promise<void> => {
    const edited = edits.find(texts)
    if (edited.length === 0) return toast.show('There is nothing to save: nothing was edited.')
    const body = Object.fromEntries(edited.map(field => [field, fromTexts(field, texts)]))
    edits.show(textsOf(area, await saveDraft(draft.project_id, body)), texts)
    const found = queryClient.getQueryData(warningsQuery(draft.project_id).queryKey)
    const warnings = found?.draft.map(({ message }) => `Warning: ${message}`) ?? []
    toast.show(['Saved as a draft. It is not live until you deploy.', ...warnings].join(' '))
  }
  return (
    <div ref={box} onInput={edits.follow}>
      <Form
        submit={submit}
        submitLabel={`Save draft: ${area.title}`}
        look={edits.isEdited ? 'primary' : 'plain'}
        isWide
        secondary={edits.isEdited && <Button onClick={edits.undo}>Undo edits: {area.title}</Button>}
      >
        <div className="grid items-start gap-4 xl:grid-cols-2">
          {area.fields.map(field => (
            <div
              key={field}
              className={classNames('min-w-0', !shortKinds.includes(fields[field].kind) && 'xl:col-span-2')}
            >
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
        {edits.changedElsewhere.length > 0 && (
          <p role="status" className="text-warn">
            Somebody else changed the draft: {edits.changedElsewhere.map(labelOf).join(', ')}. Your edits stay until you
            save or undo them.
          </p>
        )}
      </Form>
    </div>
  )
}

const textsOf = (area: Area, draft: SettingsDraft): FormValues =>
  Object.assign({}, ...area.fields.map(field => toTexts(field, valuesOf(draft)[field])))

/** What differs between the controls and the draft from which they began. */
function useEdits(
  box: RefObject<HTMLDivElement | null>,
  area: Area,
  draft: SettingsDraft,
  onEdited: AreaFormProps['onEdited'],
) {
  const latest = textsOf(area, draft)
  const [base, setBase] = useState(latest)
  const [isEdited, setEdited] = useState(false)
  const find = (texts: FormValues): SettingsField[] => area.fields.filter(field => texts[field] !== base[field])
  const changeEdited = (next: boolean): void => {
    setEdited(next)
    onEdited(next)
  }
  /** A control that was edited after `sent` keeps its text. */
  const show = (texts: FormValues, sent: FormValues = readTexts(box.current)): void => {
    for (const control of controlsIn(box.current)) {
      const text = texts[control.name]
      if (text !== undefined && control.value === sent[control.name] && control.value !== text)
        writeControl(control, text)
    }
    setBase(texts)
    const shown = readTexts(box.current)
    changeEdited(area.fields.some(field => shown[field] !== texts[field]))
  }
  const changedElsewhere = area.fields.filter(field => latest[field] !== base[field])
  const isOutdated = changedElsewhere.length > 0 && !isEdited
  useEffect(() => {
    if (isOutdated) show(latest)
  })
  return {
    isEdited,
    changedElsewhere: isEdited ? changedElsewhere : [],
    find,
    show,
    undo: () => show(latest),
    follow: () => changeEdited(find(readTexts(box.current)).length > 0),
  }
}

function controlsIn(box: HTMLDivElement | null): HTMLInputElement[] {
  return [...(box?.querySelectorAll<HTMLInputElement>('input, textarea, select') ?? [])]
}

function readTexts(box: HTMLDivElement | null): FormValues {
  return Object.fromEntries(controlsIn(box).map(({ name, value }) => [name, value]))
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
