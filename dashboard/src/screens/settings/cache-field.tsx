// The control of the setting `cache`.
import { FieldGroup } from '../../ui/field-group.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import type { GroupProps } from './budgets-field.tsx'
import { type CacheTexts, cacheScopeNames, usualLifetime } from './cache-values.ts'
import { useJsonControl } from './json-control.tsx'

export function CacheField({ name, label, hint, defaultValue }: GroupProps) {
  const { text, write, control } = useJsonControl(name, defaultValue)
  const texts: CacheTexts | null = text === '' ? null : JSON.parse(text)
  const edit = (changes: Partial<CacheTexts>): void =>
    write(JSON.stringify({ scope: '', ttl_seconds: usualLifetime, ...texts, ...changes }))
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      {control}
      <SelectField
        name={`${name}.scope`}
        label="Who gets a cached answer"
        value={texts?.scope ?? ''}
        onValue={scope => (scope === '' ? write('') : edit({ scope }))}
      >
        <option value="">Nobody: no cache</option>
        {Object.entries(cacheScopeNames).map(([scope, words]) => (
          <option key={scope} value={scope}>
            {words}
          </option>
        ))}
      </SelectField>
      {texts !== null && (
        <TextField
          name={`${name}.ttl_seconds`}
          label="Cache lifetime (seconds)"
          hint="At most 86400, which is a day."
          inputMode="numeric"
          autoComplete="off"
          className="sm:max-w-60"
          value={texts.ttl_seconds}
          onValue={ttl_seconds => edit({ ttl_seconds })}
        />
      )}
    </FieldGroup>
  )
}
