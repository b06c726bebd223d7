// The control of the setting `routes`: the strategy, the targets in their order, retries, and a timeout.
import { useRef } from 'react'
import type { UsableModel } from '../../api/usable-models.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import type { GroupProps } from './budgets-field.tsx'
import { useJsonControl } from './json-control.tsx'
import { RouteTarget } from './route-target.tsx'
import { maxTargets, newRoutes, newTarget, type RouteTexts, retryCauseNames, type TargetTexts } from './route-values.ts'
import { useFocus } from './use-focus.ts'

interface RoutesFieldProps extends GroupProps {
  models: readonly UsableModel[]
}

export function RoutesField({ name, label, hint, defaultValue, models }: RoutesFieldProps) {
  const { text, write, control } = useJsonControl(name, defaultValue)
  const routes: RouteTexts | null = text === '' ? null : JSON.parse(text)
  // A user who passes over “no routes” with the arrow keys keeps the targets.
  const latest = useRef(newRoutes)
  const edit = (changes: Partial<RouteTexts>): void => {
    latest.current = { ...(routes ?? latest.current), ...changes }
    write(JSON.stringify(latest.current))
  }
  const chooseStrategy = (strategy: string): void => {
    if (strategy === '') {
      latest.current = routes ?? newRoutes
      write('')
    } else {
      edit({ strategy })
    }
  }
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      {control}
      <SelectField
        name={`${name}.strategy`}
        label="Which model gets a request"
        value={routes?.strategy ?? ''}
        onValue={chooseStrategy}
      >
        <option value="">The model of the project: no routes</option>
        <option value="fallback">The first target; if it fails, the next one</option>
        <option value="weighted">One of the targets by their weights; if it fails, another one</option>
      </SelectField>
      {routes !== null && (
        <>
          <Targets name={name} routes={routes} models={models} edit={edit} />
          <Retries name={name} routes={routes} edit={edit} />
          <TextField
            name={`${name}.first_token_timeout_ms`}
            label="Timeout for the first token of a stream (ms)"
            hint="At each target. Empty: only the timeout of the target."
            inputMode="numeric"
            autoComplete="off"
            className="sm:max-w-60"
            value={routes.first_token_timeout_ms}
            onValue={first_token_timeout_ms => edit({ first_token_timeout_ms })}
          />
        </>
      )}
    </FieldGroup>
  )
}

interface PartProps {
  name: string
  routes: RouteTexts
  edit: (changes: Partial<RouteTexts>) => void
}

function Targets({
  name,
  routes: { targets, strategy },
  models,
  edit,
}: PartProps & { models: readonly UsableModel[] }) {
  const { box, focusOn } = useFocus()
  const pathOf = (position: number): string => `${name}.targets[${position}]`
  const others = (position: number): TargetTexts[] => targets.filter((_target, other) => other !== position)
  const move = (from: number, to: number): void => {
    const rest = others(from)
    edit({ targets: [...rest.slice(0, to), ...targets.slice(from, from + 1), ...rest.slice(to)] })
    focusOn(`${pathOf(to)}.${to < from ? 'up' : 'down'}`)
  }
  const remove = (position: number): void => {
    edit({ targets: others(position) })
    focusOn(pathOf(Math.min(position, targets.length - 2)))
  }
  const add = (): void => {
    edit({ targets: [...targets, newTarget] })
    focusOn(pathOf(targets.length))
  }
  return (
    <div ref={box} className="flex flex-col items-stretch gap-3">
      {[...targets.entries()].map(([position, target]) => (
        <RouteTarget
          key={position}
          path={pathOf(position)}
          position={position}
          count={targets.length}
          target={target}
          hasWeight={strategy === 'weighted' || target.weight !== ''}
          models={models}
          edit={changes => edit({ targets: targets.with(position, { ...target, ...changes }) })}
          move={to => move(position, to)}
          remove={() => remove(position)}
        />
      ))}
      <p>
        <Button onClick={add} disabled={targets.length === maxTargets}>
          Add a target
        </Button>
      </p>
    </div>
  )
}

function Retries({ name, routes: { attempts, on }, edit }: PartProps) {
  const tick = (cause: string, isTicked: boolean): void =>
    edit({ on: retryCauseNames.map(([one]) => one).filter(one => (one === cause ? isTicked : on.includes(one))) })
  return (
    <>
      <SelectField
        name={`${name}.retry.attempts`}
        label="Retries of the same target"
        hint="Before the next target is asked."
        value={attempts}
        onValue={next => edit({ attempts: next })}
      >
        <option value="">One, if nothing was sent to it</option>
        <option value="0">None</option>
        <option value="1">1</option>
        <option value="2">2</option>
        <option value="3">3</option>
      </SelectField>
      {attempts !== '' && attempts !== '0' && (
        <FieldGroup name={`${name}.retry.on`} label="What a target is retried after">
          {retryCauseNames.map(([cause, words]) => (
            <CheckboxField
              key={cause}
              name={`${name}.retry.on.${cause}`}
              label={words}
              checked={on.includes(cause)}
              onTick={isTicked => tick(cause, isTicked)}
            />
          ))}
        </FieldGroup>
      )}
    </>
  )
}
