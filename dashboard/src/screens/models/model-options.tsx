// The options of a choice of models: those that last first, the others below them in a group of their own.
import { isLasting, orderByUse, type UsableModel } from '../../api/usable-models.ts'

interface ModelOptionsProps {
  models: readonly UsableModel[]
  /** Offered also if the tenant cannot use it any more. */
  chosen?: string
  nameOf?: (model: UsableModel) => string
}

export function ModelOptions({ models, chosen = '', nameOf = ({ modelId }) => modelId }: ModelOptionsProps) {
  const { lasting = [], other = [] } = Object.groupBy(orderByUse(models), model =>
    isLasting(model) ? 'lasting' : 'other',
  )
  const option = (model: UsableModel) => (
    <option key={model.modelId} value={model.modelId}>
      {nameOf(model)}
    </option>
  )
  return (
    <>
      {chosen !== '' && !models.some(({ modelId }) => modelId === chosen) && <option value={chosen}>{chosen}</option>}
      {lasting.map(option)}
      {other.length > 0 && <optgroup label="Dated versions and deprecated models">{other.map(option)}</optgroup>}
    </>
  )
}
