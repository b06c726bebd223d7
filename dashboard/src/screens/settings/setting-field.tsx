// The control of one setting, by its kind. Its name is the field's, so that the API's messages find it.
import { type ReactNode, useState } from 'react'
import { orderByUse, type UsableModel } from '../../api/usable-models.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { ActionOptions } from '../guardrails/action-options.tsx'
import { entityTypes, nameOfEntity } from '../guardrails/names.ts'
import { ModelOptions } from '../models/model-options.tsx'
import { AnonymousField } from './anonymous-field.tsx'
import { BudgetsField } from './budgets-field.tsx'
import { CacheField } from './cache-field.tsx'
import { controlOf, toTexts } from './field-values.ts'
import { fields, type SettingsField } from './fields.ts'
import { RoutesField } from './routes-field.tsx'

interface SettingFieldProps {
  field: SettingsField
  /** What the control shows at first. */
  value: unknown
  /** The models that the tenant can use. */
  models: readonly UsableModel[]
  /** The project's own types, for actions. */
  ownTypes?: readonly string[]
  /** False if the model cannot be set back to that of the installation here. */
  isDefaultModelOffered?: boolean
  /** Shown with the hint, such as the deployed value. */
  note?: ReactNode
}

export function SettingField({ field, value, models, ownTypes = [], ...options }: SettingFieldProps) {
  const { isDefaultModelOffered = true, note } = options
  const { kind, label, choices = {} } = fields[field]
  const texts = toTexts(field, value)
  const common = { name: field, label, defaultValue: texts[field] ?? '', hint: <Hint field={field} note={note} /> }
  switch (kind) {
    case 'text':
      return <TextAreaField {...common} rows={6} />
    case 'integer':
      return <TextField {...common} inputMode="numeric" autoComplete="off" className="sm:max-w-60" />
    case 'address':
      return <TextField {...common} inputMode="url" autoComplete="off" />
    case 'origins':
    case 'terms':
    case 'types':
      return <TextAreaField {...common} rows={4} spellCheck={false} autoCapitalize="off" />
    case 'routes':
      return <RoutesField {...common} models={models} />
    case 'cache':
      return <CacheField {...common} />
    case 'anonymous':
      return <AnonymousField {...common} />
    case 'budgets':
      return <BudgetsField {...common} />
    case 'models':
      return <ModelsField {...common} models={models} />
    case 'model':
      return (
        <SelectField {...common}>
          {isDefaultModelOffered && <option value="">{fields[field].none}</option>}
          <ModelOptions models={models} chosen={common.defaultValue} />
        </SelectField>
      )
    case 'choice':
      return (
        <SelectField {...common}>
          {Object.entries(choices).map(([text, words]) => (
            <option key={text} value={text}>
              {words}
            </option>
          ))}
        </SelectField>
      )
    case 'entities':
      return <EntitiesField field={field} texts={texts} types={[...entityTypes, ...ownTypes]} />
  }
}

/** Their controls say themselves what stands for nothing. */
const kindsWithoutText: readonly string[] = ['model', 'routes', 'cache', 'anonymous', 'budgets']

function Hint({ field, note }: { field: SettingsField; note: ReactNode }) {
  const { hint, none, kind } = fields[field]
  const canBeEmpty = none !== undefined && !kindsWithoutText.includes(kind)
  return (
    <>
      {hint} {canBeEmpty && `Empty: ${none.charAt(0).toLowerCase()}${none.slice(1)}.`}
      {note}
    </>
  )
}

interface ModelsFieldProps {
  name: string
  label: string
  defaultValue: string
  hint: ReactNode
  models: readonly UsableModel[]
}

/** A list to type or paste, which also takes models from a menu. */
function ModelsField({ models, ...common }: ModelsFieldProps) {
  const [chosen, setChosen] = useState('')
  const add = (button: HTMLButtonElement): void => {
    const area = button.form?.elements.namedItem(common.name)
    if (!(area instanceof HTMLTextAreaElement)) return
    area.value = [area.value.trimEnd(), chosen || orderByUse(models)[0]?.modelId].filter(Boolean).join('\n')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  return (
    <>
      <TextAreaField {...common} rows={3} spellCheck={false} autoCapitalize="off" />
      {models.length > 0 && (
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 grow">
            <SelectField name={controlOf('allowed_models', 'menu')} label="Add a model to the list" onValue={setChosen}>
              <ModelOptions models={models} />
            </SelectField>
          </div>
          <Button onClick={event => add(event.currentTarget)}>Add</Button>
        </div>
      )}
    </>
  )
}

interface EntitiesFieldProps {
  field: SettingsField
  texts: Record<string, string>
  types: readonly string[]
}

function EntitiesField({ field, texts, types }: EntitiesFieldProps) {
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-3 sm:grid-cols-2">
      <legend className="px-1 font-medium">{fields[field].label}</legend>
      {types.map(type => {
        const name = controlOf(field, type)
        return (
          <SelectField key={type} name={name} label={nameOfEntity(type)} defaultValue={texts[name]}>
            <option value="">Off</option>
            <ActionOptions />
          </SelectField>
        )
      })}
    </fieldset>
  )
}
