// A box to tick, with its label beside it. A box that is not ticked is missing in the values of the form.
import type { ComponentProps } from 'react'

interface CheckboxFieldProps extends Pick<ComponentProps<'input'>, 'checked' | 'defaultChecked'> {
  name: string
  label: string
  onTick?: (isTicked: boolean) => void
}

export function CheckboxField({ name, label, onTick, ...box }: CheckboxFieldProps) {
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm">
      <input
        type="checkbox"
        {...box}
        name={name}
        className="size-4 accent-accent"
        onChange={event => onTick?.(event.currentTarget.checked)}
      />
      {label}
    </label>
  )
}
