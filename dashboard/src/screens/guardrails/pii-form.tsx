// PII Shield in the draft: its modes, and what it does with each type of personal data.
import { type SettingsDraft, saveDraft } from '../../api/draft.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { type Edits, useEdits } from '../../ui/use-edits.ts'
import { ActionOptions } from './action-options.tsx'
import { DraftForm } from './draft-form.tsx'
import { ModeField } from './mode-field.tsx'
import { actionNames, modeNames, nameOfEntity, pick, recogniserHint, typesOf } from './names.ts'

interface PiiFormProps {
  projectId: string
  draft: SettingsDraft
  mayWrite: boolean
}

/** The value of a type that is not detected. */
const off = 'OFF'

export function PiiForm({ projectId, draft, mayWrite }: PiiFormProps) {
  const types = typesOf(draft)
  const saved = Object.fromEntries(types.map(type => [type, draft.pii_entities[type] ?? off]))
  const edits = useEdits({
    ...saved,
    pii_mode: draft.pii_mode,
    pii_answer_mode: draft.pii_answer_mode,
    recogniser_url: draft.recogniser_url ?? '',
  })
  return (
    <Section title="PII Shield: personal data">
      <p className="text-soft">
        Mask: the provider gets a token, and the answer has the value again. Redact: the value is lost. Block: the
        request is rejected. In answers, Mask and Redact both remove the value, and Block ends the answer; values that
        the request brought stay.
      </p>
      <DraftForm
        edits={edits}
        mayWrite={mayWrite}
        save={values => saveDraft(projectId, readValues(types, values))}
        name="PII Shield"
      >
        <ModeField name="pii_mode" label="PII mode" edits={edits} />
        <ModeField name="pii_answer_mode" label="PII mode for answers" edits={edits} />
        <div className="grid gap-4 sm:grid-cols-2">
          {types.map(type => (
            <EntityField key={type} type={type} edits={edits} />
          ))}
        </div>
        <TextField
          name="recogniser_url"
          label="External recogniser"
          hint={`${recogniserHint} Empty: the one of the installation, if there is one.`}
          inputMode="url"
          autoComplete="off"
          value={edits.values['recogniser_url']}
          onValue={url => edits.edit({ recogniser_url: url })}
        />
        {mayWrite && (
          <p>
            <Button onClick={() => edits.edit(Object.fromEntries(types.map(type => [type, 'MASK'])))}>
              Mask all types
            </Button>
          </p>
        )}
        <Advice types={types} values={edits.values} />
      </DraftForm>
    </Section>
  )
}

function readValues(types: readonly string[], values: FormValues) {
  const actions = types.flatMap(type => {
    const action = pick(actionNames, values[type])
    return action === undefined ? [] : [[type, action]]
  })
  return {
    pii_mode: pick(modeNames, values['pii_mode']) ?? 'disabled',
    pii_answer_mode: pick(modeNames, values['pii_answer_mode']) ?? 'disabled',
    pii_entities: Object.fromEntries(actions),
    recogniser_url: values['recogniser_url']?.trim() || null,
  }
}

function EntityField({ type, edits }: { type: string; edits: Edits }) {
  return (
    <SelectField
      name={type}
      label={nameOfEntity(type)}
      value={edits.values[type]}
      onValue={action => edits.edit({ [type]: action })}
    >
      <option value={off}>Off</option>
      <ActionOptions />
    </SelectField>
  )
}

/** Types whose detection is often wrong. */
const uncertainTypes = ['PERSON', 'LOCATION', 'DATE_TIME'] as const

function Advice({ types, values }: { types: readonly string[]; values: Record<string, string> }) {
  const isOn = values['pii_mode'] !== 'disabled' || values['pii_answer_mode'] !== 'disabled'
  const hasTypes = types.some(type => values[type] !== off)
  const blocked = uncertainTypes.filter(type => values[type] === 'BLOCK')
  return (
    <div role="status" className="flex flex-col gap-2 text-warn empty:hidden">
      {isOn && !hasTypes && <p>No type is chosen, so PII Shield detects nothing.</p>}
      {!isOn && hasTypes && <p>PII Shield is off, so the types have no effect.</p>}
      {isOn && blocked.length > 0 && (
        <p>
          {`Block on “${blocked.map(nameOfEntity).join('”, “')}” rejects harmless requests, too. Watch the report in shadow mode first, or mask.`}
        </p>
      )}
    </div>
  )
}
