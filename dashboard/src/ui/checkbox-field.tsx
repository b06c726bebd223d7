// A box to tick, with its label beside it. A box that is not ticked is missing in the values of the form.
interface CheckboxFieldProps {
  name: string
  label: string
  defaultChecked?: boolean
}

export function CheckboxField({ name, label, defaultChecked }: CheckboxFieldProps) {
  return (
    <label className="flex min-h-8 items-center gap-2">
      <input type="checkbox" name={name} defaultChecked={defaultChecked} className="size-4 accent-accent" />
      {label}
    </label>
  )
}
