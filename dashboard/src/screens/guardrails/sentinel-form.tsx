// Sentinel in the draft: its mode, and what it detects.
import { type SettingsDraft, saveDraft } from '../../api/draft.ts'
import { Section } from '../../ui/page.tsx'
import { useEdits } from '../../ui/use-edits.ts'
import { DraftForm } from './draft-form.tsx'
import { ModeField } from './mode-field.tsx'
import { familyNames, modeNames, pick } from './names.ts'

interface SentinelFormProps {
  projectId: string
  draft: SettingsDraft
  mayWrite: boolean
}

export function SentinelForm({ projectId, draft, mayWrite }: SentinelFormProps) {
  const edits = useEdits({ sentinel_mode: draft.sentinel_mode })
  return (
    <Section title="Sentinel: prompt injection and jailbreaks">
      <p className="text-soft">
        Reads messages of end users, and in enforce mode rejects a request that tries one of these, or contains a term
        of the blocklist. The families are on together.
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
        save={values => saveDraft(projectId, { sentinel_mode: pick(modeNames, values['sentinel_mode']) ?? 'disabled' })}
        submitLabel="Save Sentinel"
      >
        <ModeField name="sentinel_mode" label="Mode of Sentinel" edits={edits} />
      </DraftForm>
    </Section>
  )
}
