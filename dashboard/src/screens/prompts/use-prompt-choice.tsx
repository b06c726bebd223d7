// A choice among the prompts of a project's draft, with the values of its variables, as a part of a form.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageOf } from '../../api/errors.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Awaited } from '../../ui/page.tsx'
import { shownVariables } from './prompt-text.ts'
import { promptsQuery } from './queries.ts'
import { VariableFields, type VariableValues } from './variable-fields.tsx'

/** As requests name a prompt. */
interface ChosenPrompt {
  id: string
  variables: VariableValues
}

interface PromptChoice {
  /** Null if none is chosen. */
  chosen: ChosenPrompt | null
  /** Nothing if the project has no prompts. */
  fields: ReactNode
}

export function usePromptChoice(projectId: string, hint?: string, first = ''): PromptChoice {
  const found = useQuery(promptsQuery(projectId))
  const { data: prompts = [], error } = found
  const [name, setName] = useState(first)
  const [values, setValues] = useState<VariableValues>({})
  const prompt = prompts.find(one => one.name === name)
  const given = Object.entries(values).filter(
    ([variable, value]) => value !== '' && variable in (prompt?.variables ?? {}),
  )
  return {
    chosen: prompt === undefined ? null : { id: prompt.name, variables: Object.fromEntries(given) },
    fields: (
      <>
        <Awaited queries={[found]} />
        {error !== null && <p className="text-danger">{messageOf(error)}</p>}
        {prompts.length > 0 && (
          <SelectField name="prompt" label="Prompt" hint={hint} value={prompt?.name ?? ''} onValue={setName}>
            <option value="">None</option>
            {prompts.map(one => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </SelectField>
        )}
        {prompt !== undefined && (
          <VariableFields variables={shownVariables(prompt.variables)} values={values} onValues={setValues} />
        )}
      </>
    ),
  }
}
