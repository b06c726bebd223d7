// The controls of one target of the routes. Their names are the paths of the API, whose messages so find them.

import type { UsableModel } from '../../api/usable-models.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { ModelOptions } from '../models/model-options.tsx'
import type { TargetTexts } from './route-values.ts'

interface RouteTargetProps {
  /** `routes.targets[0]`. */
  path: string
  position: number
  count: number
  target: TargetTexts
  /** Only the strategy `weighted` uses weights. */
  hasWeight: boolean
  models: readonly UsableModel[]
  edit: (changes: Partial<TargetTexts>) => void
  /** Changes the position in the list. */
  move: (to: number) => void
  remove: () => void
}

export function RouteTarget({ path, position, count, target, hasWeight, models, edit, ...actions }: RouteTargetProps) {
  const number = { inputMode: 'numeric', autoComplete: 'off' } as const
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">Target {position + 1}</legend>
      <SelectField
        name={`${path}.model`}
        label={`Model of target ${position + 1}`}
        value={target.model}
        onValue={model => edit({ model })}
      >
        <option value="">Choose a model</option>
        <ModelOptions models={models} chosen={target.model} />
      </SelectField>
      <div className="grid gap-3 sm:grid-cols-2">
        {hasWeight && (
          <TextField
            {...number}
            name={`${path}.weight`}
            label={`Weight of target ${position + 1}`}
            hint="Its share of the requests. Empty: 1."
            value={target.weight}
            onValue={weight => edit({ weight })}
          />
        )}
        <TextField
          {...number}
          name={`${path}.timeout_ms`}
          label={`Timeout of target ${position + 1} (ms)`}
          hint="For the first byte of its response. Empty: the operator’s."
          value={target.timeout_ms}
          onValue={timeout_ms => edit({ timeout_ms })}
        />
      </div>
      <TargetActions path={path} position={position} count={count} {...actions} />
    </fieldset>
  )
}

type TargetActionsProps = Pick<RouteTargetProps, 'path' | 'position' | 'count' | 'move' | 'remove'>

function TargetActions({ path, position, count, move, remove }: TargetActionsProps) {
  const name = `target ${position + 1}`
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        name={`${path}.up`}
        aria-label={`Move ${name} up`}
        disabled={position === 0}
        onClick={() => move(position - 1)}
      >
        ↑
      </Button>
      <Button
        name={`${path}.down`}
        aria-label={`Move ${name} down`}
        disabled={position === count - 1}
        onClick={() => move(position + 1)}
      >
        ↓
      </Button>
      <Button aria-label={`Remove ${name}`} disabled={count === 1} onClick={remove}>
        Remove
      </Button>
    </div>
  )
}
