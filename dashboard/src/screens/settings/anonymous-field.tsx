// The control of the setting `anonymous`.
import { useRef } from 'react'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { TextField } from '../../ui/fields.tsx'
import { type AnonymousTexts, type AttestationKind, attestationNames, usualTexts } from './anonymous-values.ts'
import type { GroupProps } from './budgets-field.tsx'
import { useJsonControl } from './json-control.tsx'

export function AnonymousField({ name, label, hint, defaultValue }: GroupProps) {
  const { text, write, control } = useJsonControl(name, defaultValue)
  /** What the fields held when the last attestation was unticked, for the next one that is ticked. */
  const kept = useRef(usualTexts)
  const texts: AnonymousTexts = text === '' ? kept.current : JSON.parse(text)
  // Without an attestation nobody gets a token.
  const edit = (changes: Partial<AnonymousTexts>): void => {
    const edited = { ...texts, ...changes }
    const isClosed = edited.attestation.length === 0
    kept.current = isClosed ? edited : usualTexts
    write(isClosed ? '' : JSON.stringify(edited))
  }
  const toggle = (kind: AttestationKind, isOn: boolean): void => {
    const others = texts.attestation.filter(one => one !== kind)
    edit({ attestation: isOn ? [...others, kind] : others })
  }
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      {control}
      {(Object.keys(attestationNames) as AttestationKind[]).map(kind => (
        <CheckboxField
          key={kind}
          name={`${name}.${kind}`}
          label={attestationNames[kind]}
          checked={texts.attestation.includes(kind)}
          onTick={isOn => toggle(kind, isOn)}
        />
      ))}
      {text !== '' && <TokenFields name={name} texts={texts} edit={edit} />}
    </FieldGroup>
  )
}

interface TokenFieldsProps {
  name: string
  texts: AnonymousTexts
  edit: (changes: Partial<AnonymousTexts>) => void
}

function TokenFields({ name, texts, edit }: TokenFieldsProps) {
  const common = { autoComplete: 'off', className: 'sm:max-w-60' } as const
  return (
    <>
      <TextField
        {...common}
        name={`${name}.tier`}
        label="Tier of the tokens"
        hint="Empty: the settings of the project."
        value={texts.tier}
        onValue={tier => edit({ tier })}
      />
      <TextField
        {...common}
        name={`${name}.ttl`}
        label="Token lifetime (seconds)"
        hint="60 to 3600."
        inputMode="numeric"
        value={texts.ttl}
        onValue={ttl => edit({ ttl })}
      />
      <TextField
        {...common}
        name={`${name}.per_address_per_hour`}
        label="Tokens per address and hour"
        hint="All addresses of an IPv6 /64 count as one."
        inputMode="numeric"
        value={texts.per_address_per_hour}
        onValue={per_address_per_hour => edit({ per_address_per_hour })}
      />
    </>
  )
}
