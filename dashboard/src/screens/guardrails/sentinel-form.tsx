// Sentinel in the draft: its mode, and what it detects.
import { type SettingsDraft, saveDraft } from '../../api/draft.ts'
import { SelectField } from '../../ui/fields.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useEdits } from '../../ui/use-edits.ts'
import { DraftForm } from './draft-form.tsx'
import { ModeField } from './mode-field.tsx'
import { familyNames, modeNames, pick, readTextNames, readTextsHint, thresholdHint, thresholdNames } from './names.ts'

interface SentinelFormProps {
  projectId: string
  draft: SettingsDraft
  mayWrite: boolean
}

export function SentinelForm({ projectId, draft, mayWrite }: SentinelFormProps) {
  const edits = useEdits({
    sentinel_mode: draft.sentinel_mode,
    sentinel_sources: draft.sentinel_sources,
    sentinel_threshold: draft.sentinel_threshold,
  })
  return (
    <Section title="Sentinel: prompt injection and jailbreaks">
      <p className="text-soft">
        In enforce mode, rejects a request that tries one of these, or contains a term of the blocklist. All families
        are checked together.
      </p>
      <ul className="list-disc pl-5">
        {Object.entries(familyNames).map(([family, name]) => (
          <li key={family}>
            <code>{family}</code>: {name}
          </li>
        ))}
      </ul>
      <DraftForm
        edits={edits}
        mayWrite={mayWrite}
        save={values => saveDraft(projectId, readValues(values))}
        name="Sentinel"
      >
        <ModeField name="sentinel_mode" label="Sentinel mode" edits={edits} />
        <SelectField
          name="sentinel_threshold"
          label="Threshold"
          hint={thresholdHint}
          value={edits.values['sentinel_threshold']}
          onValue={threshold => edits.edit({ sentinel_threshold: threshold })}
        >
          {Object.entries(thresholdNames).map(([threshold, name]) => (
            <option key={threshold} value={threshold}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          name="sentinel_sources"
          label="What Sentinel reads"
          hint={readTextsHint}
          value={edits.values['sentinel_sources']}
          onValue={sources => edits.edit({ sentinel_sources: sources })}
        >
          {Object.entries(readTextNames).map(([sources, name]) => (
            <option key={sources} value={sources}>
              {name}
            </option>
          ))}
        </SelectField>
      </DraftForm>
    </Section>
  )
}

function readValues(values: FormValues) {
  return {
    sentinel_mode: pick(modeNames, values['sentinel_mode']) ?? 'disabled',
    sentinel_sources: pick(readTextNames, values['sentinel_sources']) ?? 'user',
    sentinel_threshold: pick(thresholdNames, values['sentinel_threshold']) ?? 'balanced',
  }
}
