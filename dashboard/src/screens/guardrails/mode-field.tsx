// Chooses the mode of a guardrail.
import { SelectField } from '../../ui/fields.tsx'
import type { Edits } from '../../ui/use-edits.ts'
import { modeNames } from './names.ts'

export function ModeField({ name, label, edits }: { name: string; label: string; edits: Edits }) {
  return (
    <SelectField name={name} label={label} value={edits.values[name]} onValue={mode => edits.edit({ [name]: mode })}>
      {Object.entries(modeNames).map(([mode, text]) => (
        <option key={mode} value={mode}>
          {text}
        </option>
      ))}
    </SelectField>
  )
}
