// A field for each variable of a prompt.
import { SelectField, TextField } from '../../ui/fields.tsx'
import type { ShownVariable } from './prompt-text.ts'

/** By the name of the variable. */
export type VariableValues = Readonly<Record<string, string>>

interface VariableFieldsProps {
  variables: Readonly<Record<string, ShownVariable>>
  values: VariableValues
  onValues: (values: VariableValues) => void
}

export function VariableFields({ variables, values, onValues }: VariableFieldsProps) {
  return Object.entries(variables).map(([name, { type, values: choices, isRequired }]) => {
    const common = {
      name: `variables.${name}`,
      label: name,
      value: values[name] ?? '',
      onValue: (value: string) => onValues({ ...values, [name]: value }),
      required: isRequired,
    }
    if (type !== 'enum') {
      return <TextField key={name} {...common} inputMode={type === 'number' ? 'decimal' : 'text'} autoComplete="off" />
    }
    return (
      <SelectField key={name} {...common}>
        <option value="">{isRequired ? 'Choose a value' : 'None'}</option>
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectField>
    )
  })
}
