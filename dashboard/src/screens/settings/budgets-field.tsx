// The control of the setting `budgets`.
import type { ReactNode } from 'react'
import { FieldGroup } from '../../ui/field-group.tsx'
import { BudgetFields } from '../budgets/budget-fields.tsx'
import type { BudgetTexts } from '../budgets/budget-values.ts'
import { useJsonControl } from './json-control.tsx'

export interface GroupProps {
  name: string
  label: string
  hint: ReactNode
  /** The text of the setting with which the control begins. */
  defaultValue: string
}

export function BudgetsField({ name, label, hint, defaultValue }: GroupProps) {
  const { text, write, control } = useJsonControl(name, defaultValue)
  const texts: BudgetTexts = JSON.parse(text)
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      {control}
      <BudgetFields texts={texts} edit={changes => write(JSON.stringify({ ...texts, ...changes }))} />
    </FieldGroup>
  )
}
